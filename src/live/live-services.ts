import { Injectable } from '@nestjs/common';
import { LiveAdmission } from './live-admission.js';
import { LiveChannels } from './live-channel.js';
import { LiveFeed } from './live-feed.js';
import { LiveTokens } from './live-tokens.js';

/** Services that all connections share. */
@Injectable()
export class LiveServices {
  constructor(
    readonly channels: LiveChannels,
    readonly feed: LiveFeed,
    readonly tokens: LiveTokens,
    readonly admission: LiveAdmission,
  ) {}
}
