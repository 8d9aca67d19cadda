import { DataSource, type FindOptionsWhere, LessThan, MoreThan } from 'typeorm';
import { type Caller, FindsInPath, type PathLookup } from '../access/index.js';
import { decodePosition, type ListOrder } from '../platform/http/cursor.js';
import { type Order, readingOrder } from '../platform/http/list.js';
import { InjectNotifier, WorkNotifier } from '../platform/work/work-notifier.js';
import { type DeliveryStatus, WebhookDelivery } from './webhook-delivery.entity.js';
import { WebhookErrors } from './webhooks.errors.js';
import { getWebhook } from './webhooks.service.js';

export interface DeliveryPage {
  status?: DeliveryStatus;
  cursor?: string;
  limit: number;
  order: Order;
}

interface DeliveryIds {
  webhook_id: number;
  delivery_id: number;
}

@FindsInPath({ name: 'delivery_id', ids: { webhook_id: 'integer', delivery_id: 'integer' } })
export class DeliveriesService implements PathLookup<DeliveryIds> {
  constructor(
    private readonly db: DataSource,
    @InjectNotifier('webhooks') private readonly workers: WorkNotifier,
  ) {}

  /** Returns up to `limit + 1` deliveries of a webhook. The extra one shows that there are more. */
  async list(caller: Caller, webhookId: number, page: DeliveryPage): Promise<WebhookDelivery[]> {
    await getWebhook(this.db.manager, caller, webhookId);
    return this.read({ workspaceId: caller.workspaceId, webhookId }, page);
  }

  /** Lists the deliveries of all webhooks of the workspace. */
  listAll({ workspaceId }: Caller, page: DeliveryPage): Promise<WebhookDelivery[]> {
    return this.read({ workspaceId }, page);
  }

  private read(where: FindOptionsWhere<WebhookDelivery>, page: DeliveryPage): Promise<WebhookDelivery[]> {
    const { status, cursor, limit } = page;
    const position = cursor ? decodePosition(deliveryOrder(page.order, status), cursor, ['number']) : null;
    const order = readingOrder(page.order, position);
    if (status) where.status = status;
    if (position) where.id = (order === 'asc' ? MoreThan : LessThan)(String(position.values[0]));
    return this.db.manager.find(WebhookDelivery, { where, order: { id: order }, take: limit + 1 });
  }

  async findInPath({ workspaceId }: Caller, { webhook_id: webhookId, delivery_id: id }: DeliveryIds): Promise<void> {
    const isThere = await this.db.manager.existsBy(WebhookDelivery, { workspaceId, webhookId, id: String(id) });
    if (!isThere) throw WebhookErrors.webhook_delivery_not_found(id);
  }

  /** Queues a delivery again in any status, with all its retries. */
  async redeliver(caller: Caller, webhookId: number, deliveryId: number): Promise<WebhookDelivery> {
    const { workspaceId } = caller;
    const key = { workspaceId, webhookId, id: String(deliveryId) };
    const delivery = await this.db.transaction(async (tx) => {
      await getWebhook(tx, caller, webhookId);
      await tx.update(WebhookDelivery, key, { status: 'pending', attempts: 0, nextAttemptAt: () => 'now()' });
      return tx.findOneBy(WebhookDelivery, key);
    });
    if (!delivery) throw WebhookErrors.webhook_delivery_not_found(deliveryId);
    this.workers.notify();
    return delivery;
  }
}

export function deliveryOrder(order: Order, status: DeliveryStatus | undefined): ListOrder {
  return { sort: 'id', order, filters: { status } };
}
