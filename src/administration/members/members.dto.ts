import { ApiProperty } from '@nestjs/swagger';
import { Closed } from '../../platform/http/validation.pipe.js';
import { CreatedAtField, PathIdField, SuccessField } from '../../platform/http/common-fields.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  ListField,
  TextField,
} from '../../platform/http/fields.js';
import { MOST_ROLES, type Role, type User, USER_STATUSES, WorkspacePath } from '../../access/index.js';
import type { Member } from './members.queries.js';

export class MemberPath extends WorkspacePath {
  @PathIdField('The id of the user, from the list of the members.')
  user_id: number;
}

@Closed()
export class MemberRolesRequest {
  @ListField('string', {
    minItems: 1,
    maxItems: MOST_ROLES,
    description: 'All roles of the member from now on. Personal keys of the user are limited by them at once.',
    example: ['contributor', 'publisher'],
  })
  roles: Role[];
}

export class MemberBody {
  @IntegerField({ description: 'The id of the user in this installation.' })
  user_id: number;

  @IntegerField({
    description: 'The id under which the member acts in this workspace, as `created_by` and `key_id` name it.',
  })
  key_id: number;

  @TextField({ description: 'The e-mail address of the user.' })
  email: string;

  @TextField({ nullable: true, description: 'The display name of the user; null for a user without one.' })
  name: string | null;

  @EnumField(USER_STATUSES, {
    description: 'A disabled user cannot sign in, and personal keys of the user are refused.',
  })
  status: User['status'];

  @ListField('string', { description: 'The roles of the member in this workspace.' })
  roles: Role[];

  @BooleanField({
    description:
      'True when the groups of the user give the membership by a group rule, which then changes and ends it.',
  })
  from_groups: boolean;

  @CreatedAtField('the membership')
  created_at: string;

  @DateTimeField({
    nullable: true,
    description: 'When the member was last here, to within a minute or so; null for one who never was.',
  })
  last_used_at: string | null;
}

export class MembersResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [MemberBody],
    description: 'All members of the workspace, in the order in which they joined.',
  })
  members: MemberBody[];
}

export class MemberResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => MemberBody, description: 'The member after the request.' })
  member: MemberBody;
}

export function toMemberBody({ id, user, roles, byRules, createdAt, lastUsedAt }: Member): MemberBody {
  const { id: userId, email, name, status } = user;
  return {
    user_id: userId,
    key_id: id,
    email,
    name,
    status,
    roles,
    from_groups: byRules,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
