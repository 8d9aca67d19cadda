import type { JsonObject } from '../platform/json.js';
import { readJson } from '../platform/read-json.js';
import { LiveChannel, type LiveChannelPlugin, type LiveMessage, type LiveTopic } from './live-channel.js';
import { type ArrivalKind, type ChangedThing, WORKSPACE_CHANNEL, type WorkspaceChange } from './workspace-changes.js';

/** More changes than this become one message: read everything again. */
const MOST_CHANGES = 200;

/**
 * The kinds of resources that change in a workspace: a follower reads them by the API if it shows them. Every key may follow,
 * because the messages contain nothing that a key cannot read. A new follower, or one that may have missed something, gets
 * `everything`.
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

/** One entry for each counted kind and for each resource, with its newest version. */
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
