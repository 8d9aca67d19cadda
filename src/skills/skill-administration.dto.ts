import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../access/index.js';
import { SuccessField } from '../platform/http/common-fields.js';
import { IntegerField, MAX_ID, UuidField } from '../platform/http/fields.js';
import { SkillVersionBody } from './shared/skills.dto.js';

export class ManagedCollectionPath extends WorkspacePath {
  @UuidField({ query: true, description: 'The id of the skill collection, from the list of collections.' })
  skill_collection_id: string;
}

export class ManagedVersionPath extends ManagedCollectionPath {
  @IntegerField({ query: true, min: 1, max: MAX_ID, description: 'The number of the version, from 1.' })
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
