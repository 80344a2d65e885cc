-- SPDX-License-Identifier: LGPL-2.1
-- Made after all rows are written: a sort is cheaper than many insertions at random places.
-- file_path is made earlier if a directory is renamed, to find the files below it.
CREATE UNIQUE INDEX IF NOT EXISTS file_path ON file (path);
CREATE INDEX IF NOT EXISTS version_base ON version (base) WHERE base IS NOT NULL;
CREATE INDEX IF NOT EXISTS name_file ON name (file);
CREATE INDEX IF NOT EXISTS name_version ON name (version);
CREATE INDEX IF NOT EXISTS access_list_exec ON access_list (exec);
CREATE INDEX IF NOT EXISTS miss_exec ON miss (exec);
CREATE INDEX IF NOT EXISTS change_file ON change (file);
CREATE INDEX IF NOT EXISTS compilation_source ON compilation (source);
