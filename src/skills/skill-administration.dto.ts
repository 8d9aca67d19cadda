import { ApiProperty } from '@nestjs/swagger';
import { WorkspacePath } from '../access/index.js';
import { IntegerField, MAX_ID, UuidField } from '../platform/http/fields.js';
import { SkillVersionBody } from './skills.dto.js';

export class ManagedCollectionPath extends WorkspacePath {
  @UuidField({ query: true })
  skill_collection_id: string;
}

export class ManagedVersionPath extends ManagedCollectionPath {
  @IntegerField({ query: true, min: 1, max: MAX_ID })
  skill_version: number;
}

export class SkillVersionsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [SkillVersionBody], description: 'Newest first.' })
  versions: SkillVersionBody[];
}

export class SkillCollectionDeletedResponse {
  @ApiProperty({ example: true })
  success: true;
}
