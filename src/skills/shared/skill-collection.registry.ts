import { Registry } from '../../registry/index.js';
import { SkillCollection, SkillVersion } from './skill-collection.entity.js';
import { SkillErrors } from './skills.errors.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Labels are a column of versions, so a version is read with its label. Names are made unique before they are stored. */
export const SKILLS = new Registry({
  noun: 'skill_collection',
  entry: SkillCollection,
  version: SkillVersion,
  table: 'skill_collections',
  idType: 'uuid',
  labelsTable: '(SELECT workspace_id, collection_id, label AS name FROM skill_versions WHERE label IS NOT NULL)',
  owner: { property: 'collectionId', column: 'collection_id' },
  externalIdType: 'skill collection',
  permissions: { edit: 'SKILL_EDIT', delete: 'SKILL_DELETE' },
  meaningsOf: (text) => {
    const byText = [{ name: text }, { rootPath: text }];
    return UUID.test(text) ? [{ id: text }, ...byText] : byText;
  },
  errors: {
    notFound: SkillErrors.skill_collection_not_found,
    versionNotFound: SkillErrors.skill_version_not_found,
  },
});
