import { type DynamicModule, Module } from '@nestjs/common';
import { MailModule } from '../platform/mail/mail.module.js';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import { SecretsModule } from '../platform/secrets/secrets.module.js';
import { registerWork } from '../platform/work/register-work.js';
import { DeliveriesController, WorkspaceDeliveriesController } from './deliveries.controller.js';
import { DeliveriesService } from './deliveries.service.js';
import { DeliveryWork } from './delivery-work.js';
import { Receivers } from './receivers.js';
import { WebhooksConsumer } from './webhooks.consumer.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

/** Providers that only workers need. */
const WORKERS = [DeliveryWork, WebhooksConsumer];

/** Slots of a worker. Sending mostly waits for receivers; one that does not answer takes a slot until the timeout. */
const RECEIVERS_AT_ONCE = 16;

@Module({})
export class WebhooksModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: WebhooksModule,
      imports: [
        OutboundModule,
        MailModule,
        SecretsModule,
        registerWork(DeliveryWork, { queue: 'webhooks', concurrency: RECEIVERS_AT_ONCE, works }),
      ],
      controllers: [WebhooksController, DeliveriesController, WorkspaceDeliveriesController],
      providers: [WebhooksService, DeliveriesService, Receivers, ...(works ? WORKERS : [])],
    };
  }
}
