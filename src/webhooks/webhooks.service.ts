import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, FindsInPath, type PathLookup } from '../access/index.js';
import { eventTypes, RESERVED_EVENTS } from '../events/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { lockUntilCommit } from '../platform/database/advisory-lock.js';
import { Secrets } from '../platform/secrets/secrets.js';
import type { Format } from './message-format.js';
import { Receivers } from './receivers.js';
import { secretPlace } from './signature.js';
import { Webhook } from './webhook.entity.js';
import { WebhookErrors } from './webhooks.errors.js';

/** A webhook together with its secret, which is readable only at this moment. */
export interface IssuedWebhook {
  webhook: Webhook;
  secret: string;
}

export interface WebhookChanges {
  name?: string | null;
  url?: string;
  eventTypes?: string[] | null;
  format?: Format;
  enabled?: boolean;
}

@FindsInPath({ name: 'webhook_id', ids: { webhook_id: 'integer' } })
export class WebhooksService implements PathLookup<{ webhook_id: number }> {
  constructor(
    private readonly db: DataSource,
    private readonly receivers: Receivers,
    private readonly secrets: Secrets,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Newest first. */
  list({ workspaceId }: Caller): Promise<Webhook[]> {
    return this.db.manager.find(Webhook, { where: { workspaceId }, order: { id: 'DESC' } });
  }

  get(caller: Caller, id: number): Promise<Webhook> {
    return getWebhook(this.db.manager, caller, id);
  }

  findInPath(caller: Caller, { webhook_id: id }: { webhook_id: number }): Promise<Webhook> {
    return this.get(caller, id);
  }

  create(caller: Caller, input: WebhookChanges & { url: string }): Promise<IssuedWebhook> {
    this.check(input);
    const { workspaceId, keyId: createdBy } = caller;
    const { name = null, url, eventTypes: types = null, format } = input;
    const { secret, encrypted } = this.newSecret(caller);
    return this.db.transaction(async (tx) => {
      await this.refuseTooMany(tx, workspaceId);
      const values = { workspaceId, name, url, format, eventTypes: types, secret: encrypted, createdBy };
      const { identifiers } = await tx.insert(Webhook, values);
      const webhook = await getWebhook(tx, caller, identifiers[0]!.id as number);
      await audit(tx, caller, { action: 'webhook.create', entityId: webhook.id });
      return { webhook, secret };
    });
  }

  update(caller: Caller, id: number, changes: WebhookChanges): Promise<Webhook> {
    this.check(changes);
    return this.change(caller, id, { ...changes, action: 'webhook.update' });
  }

  /** Replaces the secret at once, even for retries of earlier deliveries. */
  async rotateSecret(caller: Caller, id: number): Promise<IssuedWebhook> {
    const { secret, encrypted } = this.newSecret(caller);
    const webhook = await this.change(caller, id, { secret: encrypted, action: 'webhook.rotate_secret' });
    return { webhook, secret };
  }

  /** Its deliveries go with it. */
  delete(caller: Caller, id: number): Promise<Webhook> {
    return this.db.transaction(async (tx) => {
      const webhook = await getWebhook(tx, caller, id);
      await tx.delete(Webhook, { workspaceId: caller.workspaceId, id });
      await audit(tx, caller, { action: 'webhook.delete', entityId: id });
      return webhook;
    });
  }

  private async refuseTooMany(tx: EntityManager, workspaceId: number): Promise<void> {
    await lockUntilCommit(tx, 'webhooks', workspaceId);
    const most = this.config.maxWebhooks;
    if ((await tx.countBy(Webhook, { workspaceId })) >= most) throw WebhookErrors.webhook_too_many(most);
  }

  private check({ url, eventTypes: types }: WebhookChanges): void {
    if (url !== undefined) this.receivers.check(url);
    const unknown = types?.find((type) => !eventTypes.has(type) && !RESERVED_EVENTS.has(type));
    if (unknown !== undefined) throw WebhookErrors.webhook_event_type_unknown(unknown);
  }

  private newSecret({ workspaceId }: Caller): { secret: string; encrypted: Buffer } {
    const secret = `whsec_${randomBytes(32).toString('base64url')}`;
    return { secret, encrypted: this.secrets.encrypt(secret, secretPlace(workspaceId)) };
  }

  private change(
    caller: Caller,
    id: number,
    { action, ...changes }: WebhookChanges & { secret?: Buffer; action: string },
  ): Promise<Webhook> {
    return this.db.transaction(async (tx) => {
      await getWebhook(tx, caller, id);
      const given = Object.entries(changes).filter(([, value]) => value !== undefined);
      const values = { ...Object.fromEntries(given), updatedAt: new Date() };
      await tx.update(Webhook, { workspaceId: caller.workspaceId, id }, values);
      await audit(tx, caller, { action, entityId: id, details: { changed: given.map(([name]) => name) } });
      return getWebhook(tx, caller, id);
    });
  }
}

export async function getWebhook(tx: EntityManager, { workspaceId }: Caller, id: number): Promise<Webhook> {
  const webhook = await tx.findOneBy(Webhook, { workspaceId, id });
  if (!webhook) throw WebhookErrors.webhook_not_found(id);
  return webhook;
}
