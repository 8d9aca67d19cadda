import type { QueryDeepPartialEntity } from 'typeorm';
import { now } from '../platform/work/row-work.js';
import type { PauseReason } from './feed-settings.js';
import type { Feed } from './feeds.entities.js';

type StateFields = QueryDeepPartialEntity<Feed>;

export const pausedFor = (reason: PauseReason, message: string | null): StateFields => ({
  state: 'paused',
  stateSince: now,
  pausedReason: reason,
  pausedMessage: message,
  behindSince: null,
});

export const active = (): StateFields => ({
  state: 'active',
  stateSince: now,
  pausedReason: null,
  pausedMessage: null,
});
