import { ApiProperty } from '@nestjs/swagger';
import { CreatedAtField, SuccessField } from '../platform/http/common-fields.js';
import { BooleanField, DateTimeField, IntegerField, TextField, UuidField } from '../platform/http/fields.js';
import type { ConsoleSession } from './console-session.entity.js';

export class OwnSessionPath {
  @UuidField({ description: 'The id of the session, from the list.' })
  console_session_id: string;
}

export class SessionBody {
  @UuidField({ description: 'The id of the session. It is not the secret in the cookie.' })
  id: string;

  @IntegerField({ description: 'The workspace of the session.' })
  workspace_id: number;

  @TextField({ nullable: true, description: 'The network address from which the session was begun.' })
  address: string | null;

  @TextField({ nullable: true, description: 'The browser, as it names itself.' })
  user_agent: string | null;

  @BooleanField({ description: 'True for the session of this request.' })
  is_current: boolean;

  @CreatedAtField('the session')
  created_at: string;

  @DateTimeField({ description: 'When the session was last used, to within a minute or so.' })
  last_used_at: string;

  @DateTimeField({ description: 'When the session expires at the latest.' })
  expires_at: string;
}

export class OwnSessionsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [SessionBody], description: 'The open sessions, the latest used first.' })
  sessions: SessionBody[];
}

export class SessionsEndedResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'How many sessions were ended.' })
  ended_count: number;
}

export function toSessionBody(session: ConsoleSession, current: ConsoleSession | null): SessionBody {
  return {
    id: session.id!,
    workspace_id: session.workspaceId,
    address: session.address,
    user_agent: session.userAgent,
    is_current: session.id === current?.id,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}
