import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere, LessThan, MoreThan } from 'typeorm';
import type { Caller } from '../access/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { decodePosition, type ListOrder } from '../platform/http/cursor.js';
import { type Order, readingOrder } from '../platform/http/list.js';
import { Sweep } from '../platform/queue/sweep.js';
import { OutboxEvent } from './outbox-event.entity.js';

@Injectable()
export class EventsService {
  constructor(
    private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Up to `limit + 1` events: the extra one shows that there are more. */
  list(
    caller: Caller,
    type: string | undefined,
    page: { cursor?: string; limit: number; order: Order },
  ): Promise<OutboxEvent[]> {
    const where: FindOptionsWhere<OutboxEvent> = { workspaceId: caller.workspaceId };
    if (type) where.type = type;
    const position = page.cursor ? decodePosition(eventOrder(page.order, type), page.cursor, ['number']) : null;
    const order = readingOrder(page.order, position);
    if (position) where.id = (order === 'asc' ? MoreThan : LessThan)(String(position.values[0]));
    return this.db.manager.find(OutboxEvent, { where, order: { id: order }, take: page.limit + 1 });
  }

  /** Deletes old events. The audit trail and the versions of entities remain. */
  @Sweep('event-expiry')
  async forgetOld(): Promise<void> {
    await this.db.query(`DELETE FROM outbox_events WHERE occurred_at < now() - $1 * interval '1 day'`, [
      this.config.eventRetentionDays,
    ]);
  }
}

export function eventOrder(order: Order, type: string | undefined): ListOrder {
  return { sort: 'id', order, filters: { type } };
}
