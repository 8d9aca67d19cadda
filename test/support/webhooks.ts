import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from './client.js';
import { expect } from 'vitest';
import { type Page, readAll } from './factories.js';
import { publishPrompt } from './prompts.js';
import { type Sweeper, sweepUntil } from './sweeps.js';
import type { TestApp } from './test-app.js';

export interface Webhook {
  id: number;
  name: string | null;
  url: string;
  event_types: string[] | null;
  enabled: boolean;
  workspaceId: number;
}

export interface Delivery {
  id: number;
  event_id: number;
  event_type: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  last_attempt_at: string | null;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
}

export interface IssuedWebhook {
  webhook: Webhook;
  secret: string;
}

export const webhooksUrl = (workspaceId: number) => `/api/admin/v1/workspaces/${workspaceId}/webhooks`;
export const webhookUrl = ({ workspaceId, id }: Pick<Webhook, 'id' | 'workspaceId'>) =>
  `${webhooksUrl(workspaceId)}/${id}`;

export async function createWebhook(client: Client, workspaceId: number, body: object): Promise<IssuedWebhook> {
  const issued = (await client.post(webhooksUrl(workspaceId), body, 201)) as IssuedWebhook;
  return { ...issued, webhook: { ...issued.webhook, workspaceId } };
}

/** Newest first. */
export function deliveriesOf(client: Client, webhook: Webhook, query = ''): Promise<Delivery[]> {
  return readAll<Delivery>(client, `${webhookUrl(webhook)}/deliveries?limit=100${query}`);
}

export async function deliveryPage(client: Client, webhook: Webhook, query: string): Promise<Page<Delivery>> {
  return (await client.get(`${webhookUrl(webhook)}/deliveries?${query}`)) as Page<Delivery>;
}

export interface Received {
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** Treatment of a request by a receiver; `count` is the number of requests so far, with this one. */
export type Treatment = (response: http.ServerResponse, count: number) => void;

/** A server of a customer on this machine. */
export class Receiver {
  readonly requests: Received[] = [];

  private constructor(
    private readonly server: http.Server,
    public treat: Treatment,
  ) {}

  static async start(treat: Treatment = (response) => response.end('thanks')): Promise<Receiver> {
    const server = http.createServer();
    const receiver = new Receiver(server, treat);
    server.on('request', (request, response) => void receiver.receive(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Parsed bodies of all requests, oldest first. */
  get payloads(): Record<string, unknown>[] {
    return this.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    this.requests.push({ headers: request.headers, body: Buffer.concat(pieces).toString() });
    this.treat(response, this.requests.length);
  }
}

/** Signature that a receiver computes over the bytes it got. */
export function signatureOf(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Settings with which receivers on this machine can be called, and no test waits for production's limits. */
export const IMPATIENT = {
  OUTBOUND_ALLOW_PRIVATE: 'on',
  WEBHOOK_BACKOFF_MS: '1',
  // A busy machine answers itself late.
  WEBHOOK_TIMEOUT_MS: '60000',
};

/** A workspace, a webhook of it and the server behind that. */
export interface Subscribed extends IssuedWebhook {
  me: Client;
  /** Id of the workspace. */
  id: number;
  receiver: Receiver;
}

/** Customers with workspaces of their own, so that no test gets the events of another. */
export class Customers {
  private readonly receivers: Receiver[] = [];

  constructor(private readonly app: () => TestApp) {}

  async newWorkspace(): Promise<{ me: Client; id: number }> {
    const me = await this.app().stranger();
    const { workspace_id: id } = await publishPrompt(me, 'the first of the workspace');
    return { me, id };
  }

  async receive(treat?: Treatment): Promise<Receiver> {
    const receiver = await Receiver.start(treat);
    this.receivers.push(receiver);
    return receiver;
  }

  async subscribe(treat?: Treatment): Promise<Subscribed> {
    const { me, id } = await this.newWorkspace();
    const receiver = await this.receive(treat);
    return { me, id, receiver, ...(await createWebhook(me, id, { url: receiver.url })) };
  }

  async stopReceivers(): Promise<void> {
    await Promise.all(this.receivers.splice(0).map((receiver) => receiver.stop()));
  }
}

/** Names of the sweeps that create deliveries of webhooks and repeat failed ones. */
export const NEWS = ['events', 'webhooks'];

/** Sweeps until a webhook has so many deliveries and none is pending; gives them. */
export async function settled(
  worker: Sweeper,
  { me, webhook }: Pick<Subscribed, 'me' | 'webhook'>,
  count: number,
): Promise<Delivery[]> {
  let deliveries: Delivery[] = [];
  await sweepUntil(worker, NEWS, async () => {
    deliveries = await deliveriesOf(me, webhook);
    return deliveries.length >= count && deliveries.every(({ status }) => status !== 'pending');
  });
  expect(deliveries).toHaveLength(count);
  return deliveries;
}

/** Publishes a prompt and sweeps until its event is delivered. Earlier events have been delivered by then. */
export async function untilNews(worker: Sweeper, { me, receiver }: Subscribed, name: string): Promise<void> {
  await publishPrompt(me, name);
  await sweepUntil(worker, NEWS, () => Promise.resolve(namesIn(receiver).includes(name)));
}

/** Names of the prompts in the payloads of a receiver, oldest first. */
export function namesIn({ payloads }: Receiver): string[] {
  return payloads.map(({ details }) => (details as { prompt_template_name: string }).prompt_template_name);
}
