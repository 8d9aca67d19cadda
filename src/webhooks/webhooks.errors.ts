import { defineErrors } from '../platform/errors/problem.js';

export const WebhookErrors = defineErrors({
  webhook_not_found: { status: 404, message: (id: number) => `Webhook ${id} was not found in this workspace.` },
  webhook_delivery_not_found: {
    status: 404,
    message: (id: number) => `Delivery ${id} was not found among those of this webhook.`,
  },
  webhook_too_many: {
    status: 409,
    message: (most: number) =>
      `A workspace can have ${most} webhooks. Delete one that is not needed any more, let one receiver take several types of events, or have WEBHOOKS_MAX raised.`,
  },
  webhook_url_refused: { status: 400, message: (problem: string) => `This URL cannot be called. ${problem}` },
  webhook_mail_off: {
    status: 400,
    message: () => 'This server sends no e-mail: SMTP_URL, MAIL_FROM and PUBLIC_URL have to be set.',
  },
  webhook_event_type_unknown: {
    status: 400,
    message: (type: string) =>
      `There is no event type "${type}". All types are listed at /api/admin/v1/workspaces/{workspace_id}/events/types.`,
  },
});
