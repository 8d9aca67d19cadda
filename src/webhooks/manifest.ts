import { integer, type SettingValues } from '../platform/config/settings.js';
import { defineDomain } from '../platform/domain.js';
import type { GaugeDefinitions, LabelsOf } from '../platform/telemetry/gauges.js';
import { secretPlace } from './signature.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';
import { Webhook } from './webhook.entity.js';
import { countPendingDeliveries, oldestDueDelivery } from './waiting-deliveries.queries.js';
import { WebhooksModule } from './webhooks.module.js';

const settings = {
  maxWebhooks: integer('WEBHOOKS_MAX', {
    fallback: '50',
    min: 1,
    max: 10_000,
    description: 'Most webhooks a workspace may have.',
  }),
  webhookTimeoutMs: integer('WEBHOOK_TIMEOUT_MS', {
    fallback: '10000',
    min: 50,
    max: 60_000,
    description: 'Longest time the receiver of a webhook may take to answer, in milliseconds.',
  }),
  webhookBackoffMs: integer('WEBHOOK_BACKOFF_MS', {
    fallback: '5000',
    min: 1,
    max: 60_000,
    description:
      'Wait before the second try of a webhook delivery, in milliseconds. Every further wait is three times as long; there are 8 tries.',
  }),
};

declare module '../platform/config/config.js' {
  interface Config extends SettingValues<typeof settings> {}
}

const gauges = {
  webhookBacklog: {
    name: 'tracesheet_webhook_backlog',
    help: 'Deliveries of webhooks that are not made yet, those between two tries included. Every process shows the same.',
    labelNames: [],
    worry: 'It grows for long: a receiver does not answer or is too slow, or there are too few workers.',
  },
} as const satisfies GaugeDefinitions;

declare module '../platform/telemetry/gauges.js' {
  interface Gauges extends LabelsOf<typeof gauges> {}
}

defineDomain('webhooks', {
  holds: 'Subscriptions to events, signed deliveries, their log',
  uses: ['events'],
  module: (process) => WebhooksModule.for(process),
  entities: [WebhookDelivery, Webhook],
  secrets: [
    {
      what: 'secrets of webhooks',
      table: 'webhooks',
      column: 'secret',
      placeOf: ({ workspace_id: workspaceId }) => secretPlace(Number(workspaceId)),
    },
  ],
  tags: [{ name: 'Webhooks', description: 'Send what happens in a workspace to a server of yours.', order: 160 }],
  settings,
  gauges,
  readings: { oldestWork: [oldestDueDelivery], webhookBacklog: [countPendingDeliveries] },
});
