import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import type { CounterDefinitions, CountersOf } from '../platform/telemetry/metrics.js';
import { LiveModule } from './live.module.js';

const settings = {
  liveTokenSeconds: integer('LIVE_TOKEN_SECONDS', {
    fallback: '7200',
    min: 1,
    max: 86_400,
    description: 'How long a token for the live channel is valid, and a connection with it lasts, in seconds.',
  }),
  liveConnectionsPerKey: integer('LIVE_CONNECTIONS_PER_KEY', {
    fallback: '200',
    min: 1,
    max: 100_000,
    description: 'Connections to the live channel that one API key may have open, counted by each process.',
  }),
  liveConnectionsPerWorkspace: integer('LIVE_CONNECTIONS_PER_WORKSPACE', {
    fallback: '1000',
    min: 1,
    max: 1_000_000,
    description: 'The same for all keys of a workspace together.',
  }),
  liveSubscriptionsPerConnection: integer('LIVE_SUBSCRIPTIONS_PER_CONNECTION', {
    fallback: '100',
    min: 1,
    max: 10_000,
    description: 'Channels that one connection may follow.',
  }),
  liveWaitingBytes: integer('LIVE_WAITING_BYTES', {
    fallback: '1048576',
    min: 1024,
    max: 1_073_741_824,
    description: 'Bytes that may wait for a slow client of the live channel before it is disconnected.',
  }),
  liveHandshakeMs: integer('LIVE_HANDSHAKE_MS', {
    fallback: '10000',
    min: 50,
    max: 600_000,
    description: 'Longest time in which a client of the live channel has to show its token, in milliseconds.',
  }),
  liveHeartbeatMs: integer('LIVE_HEARTBEAT_MS', {
    fallback: '25000',
    min: 50,
    max: 600_000,
    description:
      'How often clients of the live channel are asked for a sign of life, in milliseconds. Who has given none until the next time is cut off.',
  }),
};

const counters = {
  liveConnections: {
    name: 'tracesheet_live_connections_ended_total',
    help: 'Connections to the live channel by why they ended: the client, or the reason that it was told.',
    labelNames: ['ending'],
    worry: 'An ending other than `client` grows: followers are too slow or too many.',
  },
  liveMessages: {
    name: 'tracesheet_live_messages_total',
    help: 'Messages sent to clients of the live channel by kind of channel.',
    labelNames: ['kind'],
    worry: 'It does not grow while people follow sheets.',
  },
} as const satisfies CounterDefinitions;

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

declare module '../platform/telemetry/metrics.js' {
  interface Counters extends CountersOf<typeof counters> {}
}

defineDomain('live', {
  holds: 'The live channel: a WebSocket over which clients receive updates of channels that other domains declare',
  uses: [],
  module: () => LiveModule,
  tags: [{ name: 'Live channel', description: 'Receive progress over a WebSocket instead of polling.', order: 145 }],
  settings,
  counters,
});
