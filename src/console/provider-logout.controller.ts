import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { RateLimit } from '../platform/http/rate-limit.js';
import { Public, routeConfig } from '../platform/http/request.js';
import { Logouts, SingleSignOnErrors } from '../single-sign-on/index.js';
import { ConsoleSessions } from './console-sessions.service.js';
import { ProviderPath } from './provider-sign-in.dto.js';

/** Logout tokens have few claims. */
const LONGEST_TOKEN = 16_384;

/** Where identity providers sign people out (OpenID Connect Back-Channel Logout). */
@ApiTags('Console')
@Controller('console/sign-in')
export class ProviderLogoutController {
  constructor(
    private readonly logouts: Logouts,
    private readonly sessions: ConsoleSessions,
  ) {}

  @Post(':provider/logout')
  @ApiExcludeEndpoint()
  @Public()
  @routeConfig({ rawBody: true })
  @RateLimit({ name: 'console.provider-logout', perMinute: 600, noun: 'logout tokens', per: 'address' })
  @HttpCode(200)
  async logOut(@Param() { provider }: ProviderPath, @Req() { id, body }: FastifyRequest): Promise<{ success: true }> {
    const form = new URLSearchParams(Buffer.isBuffer(body) ? body.toString() : '');
    const token = form.get('logout_token') ?? '';
    if (token === '' || token.length > LONGEST_TOKEN) throw SingleSignOnErrors.logout_token_invalid();
    const ended = await this.logouts.read(provider, token);
    if (ended) await this.sessions.endAtProvider(id, ended);
    return { success: true };
  }
}
