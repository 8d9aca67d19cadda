import { defineEvent } from '../../events/index.js';

export interface FilesChanged {
  skill_collection_id: string;
  source: 'collection_created' | 'version_save' | 'version_restored' | 'collection_deleted';
  /** Stored paths, without the folder of a provider. */
  affected_paths: string[];
  version_number: number;
}

export const SkillEvents = {
  filesChanged: defineEvent<FilesChanged>(
    'skill_collection_files_changed',
    'Files of a skill collection were added, changed, moved or deleted, also with the collection.',
  ),
};
