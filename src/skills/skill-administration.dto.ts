import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../access/index.js';
import { PathIdField, SuccessField } from '../platform/http/common-fields.js';
import { UuidField } from '../platform/http/fields.js';
import { SkillVersionBody } from './shared/skills.dto.js';

export class ManagedCollectionPath extends WorkspacePath {
  @UuidField({ query: true, description: 'The id of the skill collection, from the list of collections.' })
  skill_collection_id: string;
}

export class ManagedVersionPath extends ManagedCollectionPath {
  @PathIdField('The number of the version, from 1.')
  skill_version: number;
}

export class SkillVersionsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [SkillVersionBody], description: 'The versions, newest first.' })
  versions: SkillVersionBody[];
}

export class SkillCollectionDeletedResponse {
  @SuccessField()
  success: true;
}
