import { ApiProperty } from '@nestjs/swagger';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { CreatedAtField, PathIdField, SuccessField } from '../../platform/http/common-fields.js';
import { DateTimeField, EnumField, IntegerField, TextField } from '../../platform/http/fields.js';
import { type User, USER_STATUSES } from '../../access/index.js';
import type { UserChange } from './change-user.js';
import type { IssuedLink } from './users.service.js';
import type { UserFilters } from './list-users.queries.js';

/** A new password: at least ten characters. */
export const PasswordField = (description: string): PropertyDecorator =>
  TextField({ minLength: 10, maxLength: 256, description, example: 'correct horse battery staple' });

export const UserNameField = (description: string): PropertyDecorator =>
  TextField({ optional: true, nullable: true, maxLength: 255, description, example: 'Sam Lee' });

export class UserPath {
  @PathIdField('The id of the user, from the list of users.')
  user_id: number;
}

@Closed()
export class UpdateUserRequest {
  @UserNameField('The new display name; null removes it.')
  name?: string | null;

  @EnumField(USER_STATUSES, {
    optional: true,
    description:
      'A disabled user is signed out everywhere within seconds, cannot sign in, and personal keys of the user are refused.',
  })
  status?: User['status'];
}

export class UserBody {
  @IntegerField({ description: 'The id of the user in this installation.' })
  id: number;

  @TextField({ description: 'The e-mail address. It identifies the user in any letter case.' })
  email: string;

  @TextField({ nullable: true, description: 'The display name; null for a user without one.' })
  name: string | null;

  @EnumField(USER_STATUSES, { description: 'Whether the user can sign in.' })
  status: User['status'];

  @CreatedAtField('the user')
  created_at: string;

  @DateTimeField({ nullable: true, description: 'When the user last signed in; null for one who never did.' })
  last_seen_at: string | null;
}

export class UserResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => UserBody, description: 'The user after the request.' })
  user: UserBody;
}

@Closed()
export class ListUsersQuery extends CursorQuery {
  @LimitField(100)
  limit?: number;

  @OrderField('asc')
  order?: Order;

  @TextField({
    optional: true,
    query: true,
    maxLength: 320,
    description: 'Only users whose e-mail address starts with this, in any letter case.',
    example: 'sam@',
  })
  email_prefix?: string;

  @EnumField(USER_STATUSES, { optional: true, query: true, description: 'Only users who can, or cannot, sign in.' })
  status?: User['status'];
}

export class UsersResponse extends ListEnvelope {
  @ApiProperty({ type: () => [UserBody], description: 'The users of the page, oldest first unless `order` is `desc`.' })
  users: UserBody[];
}

export const toUserFilters = ({ email_prefix: emailPrefix, status }: ListUsersQuery): UserFilters => ({
  emailPrefix,
  status,
});

export class PasswordLinkResponse {
  @SuccessField()
  success: true;

  @TextField({
    description:
      'The path of the page on which the password is set, below the address of this server. It holds a secret, and this is the only response that contains it.',
    example: '/console/password#YmYxZTQ2…',
  })
  path: string;

  @DateTimeField({ description: 'When the link expires.' })
  expires_at: string;
}

/** Throws a 422 when nothing is given. */
export function toUserChange({ name, status }: UpdateUserRequest): UserChange {
  if (name === undefined && status === undefined) {
    throw new ValidationProblem([{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }]);
  }
  return { ...(name !== undefined && { name }), ...(status !== undefined && { status }) };
}

export function toUserBody({ id, email, name, status, createdAt, lastSeenAt }: User): UserBody {
  return {
    id,
    email,
    name,
    status,
    created_at: createdAt.toISOString(),
    last_seen_at: lastSeenAt?.toISOString() ?? null,
  };
}

export function toPasswordLink({ token, expiresAt }: IssuedLink): PasswordLinkResponse {
  return { success: true, path: `/console/password#${token}`, expires_at: expiresAt.toISOString() };
}
