import { defineEvent } from '../events/index.js';
import type { PauseReason } from './feed-settings.js';

/** The feed that an event is about. */
interface NamedFeed {
  feed_id: string;
  name: string;
  sheet_id: string;
}

export const FeedEvents = {
  paused: defineEvent<NamedFeed & { reason: PauseReason; message: string }>(
    'feed_paused',
    'The server has paused a feed of a sheet, because it cannot go on. Nothing is lost: it goes on where it stopped.',
  ),
  behind: defineEvent<NamedFeed & { undecided_since: string; undecided_count: number }>(
    'feed_behind',
    'An arrival has waited more than five minutes for the decision of an active feed. Sent once, and again only after the feed has caught up. `undecided_since` is when the oldest such arrival came, `undecided_count` how many wait, up to 100,000.',
  ),
};
