import { Controller, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../access/index.js';
import { Throws } from '../platform/http/throws.js';
import { SecretErrors } from '../platform/secrets/secrets.errors.js';
import { LiveChannels } from './live-channel.js';
import { LiveErrors } from './live.errors.js';
import { LiveTokenQuery, LiveTokenResponse, toLiveTokenResponse } from './live-tokens.dto.js';
import { LiveTokens } from './live-tokens.js';

@ApiTags('Live channel')
@Controller('ws-token-request-library')
export class LiveTokensController {
  constructor(
    private readonly channels: LiveChannels,
    private readonly tokens: LiveTokens,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'Create a token to follow a live channel over a WebSocket.',
    description:
      'Open a WebSocket at /connection/websocket and send {"id": 1, "connect": {"token": …}}, then {"id": 2, "subscribe": {"channel": …}}, ' +
      'in the JSON protocol of Centrifugo, which its clients speak. Messages come as {"push": {"channel": …, "pub": {"data": …}}}. ' +
      'Somebody who subscribes is told the present state first.',
  })
  @ApiCreatedResponse({ type: LiveTokenResponse })
  @Throws(LiveErrors.live_channel_unknown, LiveErrors.live_channel_not_found, SecretErrors.secrets_key_missing)
  async create(@CurrentCaller() caller: Caller, @Query() { capability }: LiveTokenQuery): Promise<LiveTokenResponse> {
    const channel = this.channels.find(capability);
    if (!channel) throw LiveErrors.live_channel_unknown(this.channels.examples());
    const isAllowed = await channel.plugin.allows(caller, channel.params);
    if (!isAllowed) throw LiveErrors.live_channel_not_found(capability);
    return toLiveTokenResponse(capability, await this.tokens.issue(caller, capability));
  }
}
