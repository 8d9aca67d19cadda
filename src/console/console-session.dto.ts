import { ApiProperty } from '@nestjs/swagger';
import { BodyKeyField } from '../platform/http/body-key.js';
import { MeResponse } from '../administration/index.js';
import { SuccessField } from '../platform/http/common-fields.js';
import { DateTimeField, IntegerField, TextField } from '../platform/http/fields.js';

export class SignInRequest {
  @BodyKeyField()
  api_key?: string | null;
}

export class WorkspaceChoiceBody {
  @IntegerField({ description: 'The id of the workspace.' })
  id: number;

  @TextField({ description: 'The display name of the workspace.' })
  name: string;
}

export class SessionResponse extends MeResponse {
  @ApiProperty({
    type: () => [WorkspaceChoiceBody],
    description:
      'The workspaces that the user may go on in, in the order in which they joined; for a key its own alone.',
  })
  workspaces: WorkspaceChoiceBody[];

  @DateTimeField({
    nullable: true,
    description: 'When the session expires at the latest; null for requests with a key instead of the cookie.',
  })
  expires_at: string | null;
}

export class SignedOutResponse {
  @SuccessField()
  success: true;
}

export class SignedOutOfConsoleResponse extends SignedOutResponse {
  @TextField({
    optional: true,
    description:
      'The page of the identity provider that ends the session there, too. Absent unless the session began with a provider that has such a page.',
    example: 'https://login.example.com/logout?client_id=tracesheet',
  })
  logout_url?: string;
}
