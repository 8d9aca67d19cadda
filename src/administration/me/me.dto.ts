import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../platform/http/common-fields.js';
import { IntegerField, ListField, TextField } from '../../platform/http/fields.js';
import { toWorkspaceBody, WorkspaceBody } from '../shared/administration.dto.js';
import type { Me } from './me.service.js';
import type { Role } from '../../access/index.js';

class OwnKeyBody {
  @IntegerField({ description: 'The id of the API key that the request was sent with.' })
  id: number;

  @TextField({ nullable: true, description: 'The name of the key; null for a key without one.' })
  name: string | null;

  @TextField({ description: 'The last four characters of the key, to recognise it by.' })
  last_4: string;

  @ListField('string', {
    description: 'The roles of the key. It may do what any of them may do; see `permissions`.',
  })
  roles: Role[];
}

class OwnUserBody {
  @IntegerField({ description: 'The id of the user.' })
  id: number;

  @TextField({ description: 'The e-mail address of the user.' })
  email: string;

  @TextField({ nullable: true, description: 'The display name; null for a user without one.' })
  name: string | null;

  @ListField('string', {
    description: 'The roles of the user in this workspace. A personal key may do no more than they allow.',
  })
  roles: Role[];
}

export class MeResponse {
  @SuccessField()
  success: true;

  @IntegerField({
    description: 'The id of the key or the member that acts, as `created_by` and the audit log name it.',
  })
  key_id: number;

  @ApiProperty({
    type: () => WorkspaceBody,
    description: 'The workspace that the key belongs to, and all requests with it act in.',
  })
  workspace: WorkspaceBody;

  @ApiProperty({
    type: () => OwnKeyBody,
    nullable: true,
    description: 'The API key that the request was sent with; null for a user who has signed in without one.',
  })
  api_key: OwnKeyBody | null;

  @ApiProperty({
    type: () => OwnUserBody,
    nullable: true,
    description: 'The user who has signed in, or whom a personal key belongs to; null for a service key.',
  })
  user: OwnUserBody | null;

  @ListField('string', {
    description: 'The permissions that the roles of the key grant, beyond what every key of the workspace may do.',
    example: ['TABLE_CREATE', 'TABLE_EDIT'],
  })
  permissions: string[];
}

export function toMeResponse({ workspace, holder, user, userRoles, permissions }: Me): MeResponse {
  const { id, name, lastFour, roles } = holder;
  return {
    success: true,
    key_id: id,
    workspace: toWorkspaceBody(workspace),
    api_key: lastFour === null ? null : { id, name, last_4: lastFour, roles },
    user: user && { id: user.id, email: user.email, name: user.name, roles: userRoles },
    permissions,
  };
}
