import { Inject, Injectable, Logger } from '@nestjs/common';
import { createTransport, type Transporter } from 'nodemailer';
import { CONFIG, type Config } from '../config/config.js';
import { StartError } from '../start-error.js';

/** Limits of one message, in milliseconds. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;

export interface Mail {
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
  /** Makes repetitions of a message recognisable. */
  id?: string;
}

type MailConfig = Pick<Config, 'smtpUrl' | 'mailFrom' | 'publicUrl'>;

/** Throws StartError for settings that do not fit together. */
export function assertMailSettings({ smtpUrl, mailFrom, publicUrl }: MailConfig): void {
  if (smtpUrl === '' || (mailFrom !== '' && publicUrl !== '')) return;
  throw new StartError(
    'SMTP_URL needs MAIL_FROM, the sender, and PUBLIC_URL, the address that links in e-mail lead to.',
  );
}

/**
 * Sends e-mail by SMTP_URL. Links begin with PUBLIC_URL, because a client could forge the host in a header of a
 * request.
 */
@Injectable()
export class Mailer {
  private readonly log = new Logger(Mailer.name);
  private readonly transport: Transporter | null;

  constructor(@Inject(CONFIG) private readonly config: MailConfig) {
    const { smtpUrl } = config;
    const timeouts = { connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: SILENCE_MS };
    this.transport = smtpUrl === '' ? null : createTransport({ url: smtpUrl, ...timeouts });
  }

  /** False without SMTP_URL. */
  get isOn(): boolean {
    return this.transport !== null;
  }

  /** The full address of a page of the console. */
  linkTo(path: string): string {
    return new URL(path, this.config.publicUrl).href;
  }

  /** True when the server of SMTP_URL has taken the message. A failure is logged without the text, which may hold a secret. */
  async send(mail: Mail): Promise<boolean> {
    if (!this.transport) return false;
    return (await this.trySend(mail)) === null;
  }

  /** Why the server of SMTP_URL has not taken the message; null when it has. Failures are logged, too. */
  async trySend({ to, subject, text, id }: Mail): Promise<string | null> {
    if (!this.transport) return 'There is no SMTP server: SMTP_URL is not set.';
    // An address in an object can name only one recipient.
    const recipient = { name: '', address: to };
    try {
      const messageId = id === undefined ? undefined : `<${id}@${new URL(this.config.publicUrl).hostname}>`;
      const message = { from: this.config.mailFrom, to: recipient, subject: oneLine(subject), text, messageId };
      await this.transport.sendMail(message);
      return null;
    } catch (error) {
      const problem = (error as Error).message;
      this.log.warn(`An e-mail could not be sent: ${problem}`);
      return `The e-mail could not be sent. ${problem}`;
    }
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
