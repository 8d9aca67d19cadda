import { ApiProperty } from '@nestjs/swagger';
import { IntegerField, ListField, TextField } from '../platform/http/fields.js';
import { toWorkspaceBody, WorkspaceBody } from './access.dto.js';
import type { Me } from './me.service.js';
import { type Role, ROLE_NAMES } from './permissions.js';

class OwnKeyBody {
  @IntegerField()
  id: number;

  @TextField({ nullable: true })
  name: string | null;

  @TextField({ description: 'The last four characters, to recognise the key by.' })
  last_4: string;

  @ListField('string', { values: ROLE_NAMES })
  roles: Role[];
}

export class MeResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => WorkspaceBody })
  workspace: WorkspaceBody;

  @ApiProperty({ type: () => OwnKeyBody })
  api_key: OwnKeyBody;

  @ListField('string', {
    description: 'Everything that the roles of the key allow, besides what every key of the workspace may do.',
    example: ['TABLE_CREATE', 'TABLE_EDIT'],
  })
  permissions: string[];
}

export function toMeResponse({ workspace, key, permissions }: Me): MeResponse {
  const { id, name, lastFour, roles } = key;
  return {
    success: true,
    workspace: toWorkspaceBody(workspace),
    api_key: { id, name, last_4: lastFour, roles },
    permissions,
  };
}
