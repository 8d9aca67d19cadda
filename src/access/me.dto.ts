import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../platform/http/common-fields.js';
import { IntegerField, ListField, TextField } from '../platform/http/fields.js';
import { toWorkspaceBody, WorkspaceBody } from './access.dto.js';
import type { Me } from './me.service.js';
import { type Role, ROLE_NAMES } from './permissions.js';

class OwnKeyBody {
  @IntegerField({ description: 'The id of the API key that the request was sent with.' })
  id: number;

  @TextField({ nullable: true, description: 'The name of the key; null for a key without one.' })
  name: string | null;

  @TextField({ description: 'The last four characters of the key, to recognise it by.' })
  last_4: string;

  @ListField('string', {
    values: ROLE_NAMES,
    description: 'The roles of the key. It may do what any of them may do; see `permissions`.',
  })
  roles: Role[];
}

export class MeResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => WorkspaceBody,
    description: 'The workspace that the key belongs to, and all requests with it act in.',
  })
  workspace: WorkspaceBody;

  @ApiProperty({ type: () => OwnKeyBody, description: 'The API key that the request was sent with.' })
  api_key: OwnKeyBody;

  @ListField('string', {
    description: 'The permissions that the roles of the key grant, beyond what every key of the workspace may do.',
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
