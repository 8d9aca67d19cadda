import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { AdministrationErrors, emailKey, passwordMail, UsersService } from '../administration/index.js';
import { Mailer } from '../platform/mail/mailer.js';
import { Identities } from '../single-sign-on/index.js';

/** E-mails to one address, by one process. */
const MAILS = { points: 3, duration: 15 * 60 };

/** Only known addresses cause work. It begins at a random moment, so that the time of a later request does not reveal whether there is any. */
const LATEST_START_MS = 2_000;

/** Links for new passwords, sent to people who ask for one. */
@Injectable()
export class PasswordResets {
  private readonly log = new Logger(PasswordResets.name);
  private readonly mails = new RateLimiterMemory(MAILS);

  constructor(
    private readonly users: UsersService,
    private readonly identities: Identities,
    private readonly mailer: Mailer,
  ) {}

  /** Whether people sign in with passwords, and whether they can ask for a new one. */
  async describe(): Promise<{ hasPasswords: boolean; canReset: boolean }> {
    const hasPasswords = await this.identities.havePasswords();
    return { hasPasswords, canReset: hasPasswords && this.mailer.isOn };
  }

  /** Resolves before anything is looked up or sent: the answer must not reveal who has an account. Throws password_reset_off. */
  async ask(requestId: string, email: string): Promise<void> {
    if (!(await this.describe()).canReset) throw AdministrationErrors.password_reset_off();
    void this.send(requestId, email).catch((error: unknown) => this.log.error(error));
  }

  private async send(requestId: string, email: string): Promise<void> {
    if (!(await this.isWithinLimit(email))) return;
    await delay(Math.random() * LATEST_START_MS, undefined, { ref: false });
    const user = await this.users.findActive(email);
    if (!user) return;
    const issued = await this.users.createPasswordLink({ requestId, by: 'user' }, user.id);
    await this.mailer.send(passwordMail(user.email, issued, this.mailer.linkTo(`/console/password#${issued.token}`)));
  }

  private isWithinLimit(email: string): Promise<boolean> {
    return this.mails.consume(emailKey(email)).then(
      () => true,
      () => false,
    );
  }
}
