import { Injectable } from '@nestjs/common';
import { Mailer } from '../platform/mail/mailer.js';
import { OutboundClient } from '../platform/outbound/outbound.client.js';
import { isMailAddress, mailAddress } from './message-format.js';
import { WebhookErrors } from './webhooks.errors.js';

/** Where deliveries go: URLs and e-mail addresses. */
@Injectable()
export class Receivers {
  constructor(
    readonly outbound: OutboundClient,
    readonly mailer: Mailer,
  ) {}

  /** Throws webhook_mail_off and webhook_url_refused. */
  check(url: string): void {
    const address = mailAddress(url);
    if (address !== null && !this.mailer.isOn) throw WebhookErrors.webhook_mail_off();
    const isWrong = address !== null && !isMailAddress(address);
    const wrong = isWrong ? 'What follows mailto: is not one e-mail address.' : null;
    const refused = address === null ? this.outbound.findProblem(url) : wrong;
    if (refused) throw WebhookErrors.webhook_url_refused(refused);
  }
}
