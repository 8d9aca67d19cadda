import { type OpenInvitation, PasswordField, UserNameField } from '../administration/index.js';
import { Closed } from '../platform/http/validation.pipe.js';
import { BodyIdField, EmailField, PathIdField, SuccessField } from '../platform/http/common-fields.js';
import { BooleanField, DateTimeField, TextField } from '../platform/http/fields.js';

const TokenField = () =>
  TextField({
    minLength: 1,
    maxLength: 128,
    description: 'The secret of the link: what follows `#` in it.',
    example: 'dGhpcy1pcy1ub3QtYS1yZWFsLXRva2VuLWF0LWFsbCE',
  });

@Closed()
export class PasswordSignInRequest {
  @EmailField({ description: 'The e-mail address of the user, in any letter case.' })
  email: string;

  @TextField({ minLength: 1, maxLength: 256, description: 'The password.', example: 'correct horse battery staple' })
  password: string;

  @BodyIdField('The workspace to begin in. Default: the one that the user joined first.')
  workspace_id?: number | null;
}

@Closed()
export class InvitationTokenRequest {
  @TokenField()
  token: string;
}

@Closed()
export class AcceptInvitationRequest extends InvitationTokenRequest {
  @UserNameField('The display name of a new user. Default: none. A known user keeps theirs.')
  name?: string | null;

  @PasswordField('The password: a new one for a new user, at least ten characters; their own for a known user.')
  password: string;
}

@Closed()
export class ForgottenPasswordRequest {
  @EmailField({ description: 'The e-mail address of the account, in any letter case.' })
  email: string;
}

@Closed()
export class SetPasswordRequest extends InvitationTokenRequest {
  @PasswordField('The new password, at least ten characters.')
  password: string;
}

export class WorkspaceChoicePath {
  @PathIdField('The id of a workspace that the user is a member of.')
  workspace_id: number;
}

export class InvitationResponse {
  @SuccessField()
  success: true;

  @TextField({ description: 'The name of the workspace.' })
  workspace_name: string;

  @TextField({ description: 'The e-mail address that was invited.' })
  email: string;

  @BooleanField({
    description:
      'True when the address has no user yet: accepting creates one. False when accepting asks for the password of the user.',
  })
  is_new_user: boolean;

  @DateTimeField({ description: 'When the link expires.' })
  expires_at: string;
}

export function toInvitation({ invitation, isNewUser }: OpenInvitation): InvitationResponse {
  return {
    success: true,
    workspace_name: invitation.workspace!.name,
    email: invitation.email,
    is_new_user: isNewUser,
    expires_at: invitation.expiresAt.toISOString(),
  };
}
