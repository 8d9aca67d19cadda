export { eraseDeliveries } from './erase-deliveries.queries.js';
export { withholdDeliveries } from './withhold-deliveries.queries.js';
export { isTypeNamed } from './named-types.queries.js';
export { WebhookDelivery } from './webhook-delivery.entity.js';
export { Webhook } from './webhook.entity.js';
export { WEBHOOKS_CONSUMER } from './webhooks.consumer.js';
export { WebhooksModule } from './webhooks.module.js';
