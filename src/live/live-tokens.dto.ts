import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../platform/http/common-fields.js';
import { EXAMPLE_SHEET_ID } from '../platform/example-data.js';
import { IntegerField, TextField } from '../platform/http/fields.js';
import type { IssuedToken } from './live-tokens.js';

const CHANNEL = `smart_sheets:smart_sheet#${EXAMPLE_SHEET_ID}`;

export class LiveTokenQuery {
  @TextField({ query: true, minLength: 1, maxLength: 255, description: 'The channel to follow.', example: CHANNEL })
  capability: string;
}

export class LiveTokenDetails {
  @TextField({
    description: 'The token to send with the command `connect`.',
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.c2ln',
  })
  token: string;

  @IntegerField({ description: 'When the token expires, in milliseconds since 1970.', example: 1_790_000_000_000 })
  expires: number;

  @IntegerField({ description: 'When the token was issued, in milliseconds since 1970.', example: 1_789_992_800_000 })
  issued: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'The channels the token allows, each with its operations.',
    example: { [CHANNEL]: ['subscribe'] },
  })
  capability: Record<string, string[]>;

  @TextField({
    description: 'The id that the connection has. It means nothing outside of it.',
    example: '5f0c1f5e-6f0b-4a52-9a43-0a2b7f6a3a11',
  })
  clientId: string;
}

export class LiveTokenResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => LiveTokenDetails, description: 'The token and its channel.' })
  token_details: LiveTokenDetails;
}

export function toLiveTokenResponse(
  channel: string,
  { token, clientId, issuedAt, expiresAt }: IssuedToken,
): LiveTokenResponse {
  const capability = { [channel]: ['subscribe'] };
  return { success: true, token_details: { token, expires: expiresAt, issued: issuedAt, capability, clientId } };
}
