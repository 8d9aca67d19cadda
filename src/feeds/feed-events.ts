import { defineEvent } from '../events/index.js';
import type { PauseReason } from './feed-settings.js';

export const FeedEvents = {
  paused: defineEvent<{ feed_id: string; name: string; sheet_id: string; reason: PauseReason; message: string }>(
    'feed_paused',
    'The server has paused a feed of a sheet, because it cannot go on. Nothing is lost: it goes on where it stopped.',
  ),
};
