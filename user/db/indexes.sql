-- SPDX-License-Identifier: LGPL-2.1
-- Made when all rows are there: a sort costs less than so many insertions anywhere.
-- The first one before, where it has to be asked who lies below a directory that is renamed.
CREATE UNIQUE INDEX IF NOT EXISTS file_path ON file (path);
CREATE INDEX IF NOT EXISTS version_base ON version (base) WHERE base IS NOT NULL;
CREATE INDEX IF NOT EXISTS name_file ON name (file);
CREATE INDEX IF NOT EXISTS name_version ON name (version);
CREATE INDEX IF NOT EXISTS access_list_exec ON access_list (exec);
CREATE INDEX IF NOT EXISTS miss_exec ON miss (exec);
CREATE INDEX IF NOT EXISTS change_file ON change (file);
CREATE INDEX IF NOT EXISTS compilation_source ON compilation (source);
