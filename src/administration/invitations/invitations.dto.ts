import { ApiProperty } from '@nestjs/swagger';
import { Closed } from '../../platform/http/validation.pipe.js';
import { CreatedAtField, EmailField, PathIdField, SuccessField } from '../../platform/http/common-fields.js';
import { BooleanField, DateTimeField, IntegerField, ListField, TextField } from '../../platform/http/fields.js';
import { DAY_SECONDS } from '../shared/administration.dto.js';
import { MOST_ROLES, type Role, WorkspacePath } from '../../access/index.js';
import type { Invitation } from './invitation.entity.js';
import type { IssuedInvitation, NewInvitation } from './invitations.service.js';

const DEFAULT_DAYS = 7;
const MOST_DAYS = 30;

export class InvitationPath extends WorkspacePath {
  @PathIdField('The id of the invitation, from the list.')
  invitation_id: number;
}

@Closed()
export class CreateInvitationRequest {
  @EmailField({
    description: 'The e-mail address of the person to invite. The invitation is for this address alone.',
    example: 'kim@example.com',
  })
  email: string;

  @ListField('string', {
    optional: true,
    minItems: 1,
    maxItems: MOST_ROLES,
    description: 'The roles that the new member gets. Default: `member`.',
    example: ['contributor'],
  })
  roles?: Role[];

  @IntegerField({
    optional: true,
    min: 60,
    max: MOST_DAYS * DAY_SECONDS,
    default: DEFAULT_DAYS * DAY_SECONDS,
    description: `How long the link works, in seconds. At most ${MOST_DAYS} days.`,
  })
  expires_in_seconds?: number;

  @BooleanField({
    optional: true,
    description: 'Whether to send the link to the address. Default: true if the server can send e-mail (SMTP_URL).',
  })
  send_email?: boolean;
}

export class InvitationBody {
  @IntegerField({ description: 'The id of the invitation.' })
  id: number;

  @TextField({ description: 'The e-mail address that was invited.' })
  email: string;

  @ListField('string', { description: 'The roles that the new member gets.' })
  roles: Role[];

  @IntegerField({ nullable: true, description: 'The key or member that created it; null for the operator.' })
  created_by: number | null;

  @CreatedAtField('the invitation')
  created_at: string;

  @DateTimeField({ description: 'When the link expires.' })
  expires_at: string;
}

export class InvitationsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [InvitationBody],
    description: 'The invitations that were neither accepted nor withdrawn, newest first, with expired ones.',
  })
  invitations: InvitationBody[];
}

export class IssuedInvitationResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => InvitationBody, description: 'The new invitation.' })
  invitation: InvitationBody;

  @TextField({
    description:
      'The path of the page on which it is accepted, below the address of this server. It holds the secret of the invitation, and this is the only response that contains it.',
    example: '/console/join#YmYxZTQ2…',
  })
  path: string;

  @BooleanField({
    description:
      'True when the mail server has taken the e-mail. If it is false, send the link to the person yourself.',
  })
  email_sent: boolean;
}

export function toNewInvitation({ email, roles, expires_in_seconds: seconds }: CreateInvitationRequest): NewInvitation {
  return {
    email,
    roles: [...new Set(roles ?? ['member' as const])],
    lifetimeSeconds: seconds ?? DEFAULT_DAYS * DAY_SECONDS,
  };
}

export function toInvitationBody({ id, email, roles, createdBy, createdAt, expiresAt }: Invitation): InvitationBody {
  return {
    id,
    email,
    roles,
    created_by: createdBy,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}

/** The token stands in the fragment: browsers send that nowhere. */
export const pathOf = ({ token }: IssuedInvitation): string => `/console/join#${token}`;

export function toIssuedInvitation(issued: IssuedInvitation, isSent: boolean): IssuedInvitationResponse {
  const invitation = toInvitationBody(issued.invitation);
  return { success: true, invitation, path: pathOf(issued), email_sent: isSent };
}
