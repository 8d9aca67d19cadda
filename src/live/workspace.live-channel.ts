import type { JsonObject } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import { LiveChannel, type LiveChannelPlugin, type LiveMessage, type LiveTopic } from './live-channel.js';
import { type ArrivalKind, type ChangedThing, WORKSPACE_CHANNEL, type WorkspaceChange } from './workspace-changes.js';

/** More changes than this are told as one: read everything again. */
const MOST_CHANGES = 200;

/**
 * What kinds of things change in a workspace: a follower is told which, and reads them by the API if it shows them. Everybody who
 * has a key may follow: there is nothing in it that a key may not read. Whoever has just come, or may have missed something, is
 * told `everything`.
 */
@LiveChannel({ name: WORKSPACE_CHANNEL, pattern: /^workspace:changes$/, example: 'workspace:changes' })
export class WorkspaceLiveChannel implements LiveChannelPlugin {
  allows(): Promise<boolean> {
    return Promise.resolve(true);
  }

  read(_topic: LiveTopic, parts: string[]): Promise<LiveMessage[]> {
    const changes = summed(parts.map((part) => readJson<WorkspaceChange>(part)));
    return Promise.resolve([toMessage(changes.length > MOST_CHANGES ? [{ kind: 'everything' }] : changes)]);
  }

  readFirst(): Promise<LiveMessage[]> {
    return Promise.resolve([toMessage([{ kind: 'everything' }])]);
  }
}

/** One entry for each kind that is counted and for each thing, of which the newest version counts. */
function summed(changes: WorkspaceChange[]): JsonObject[] {
  const counts = new Map<ArrivalKind, number>();
  const things = new Map<string, ChangedThing>();
  for (const change of changes) {
    if ('count' in change) counts.set(change.kind, (counts.get(change.kind) ?? 0) + change.count);
    else {
      const key = `${change.kind} ${change.id}`;
      const version = Math.max(change.version ?? 0, things.get(key)?.version ?? 0);
      things.set(key, { kind: change.kind, id: change.id, ...(version > 0 && { version }) });
    }
  }
  return [
    ...[...counts].map(([kind, count]) => ({ kind, count })),
    ...[...things.values()].map((each) => ({ ...each })),
  ];
}

function toMessage(changes: JsonObject[]): LiveMessage {
  return { message_name: 'WORKSPACE_CHANGES', data: { changes } };
}
