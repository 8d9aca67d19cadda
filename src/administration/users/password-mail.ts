import type { Mail } from '../../platform/mail/mailer.js';
import type { IssuedLink } from './users.service.js';

/** @param link the full address of the page on which the password is set */
export function passwordMail(to: string, { expiresAt }: Pick<IssuedLink, 'expiresAt'>, link: string): Mail {
  return {
    to,
    subject: 'Set a new password for Tracesheet',
    text: [
      'Somebody, probably you, asked for a new password for your account on Tracesheet.',
      '',
      'Open this link to set it. It works once:',
      link,
      '',
      `It expires on ${expiresAt.toUTCString()}. If it was not you, you can ignore this: your password stays as it is.`,
    ].join('\n'),
  };
}
