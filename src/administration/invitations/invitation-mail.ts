import type { Mail } from '../../platform/mail/mailer.js';
import type { Invitation } from './invitation.entity.js';

/** @param link the full address of the page to join on */
export function invitationMail({ email, expiresAt, workspace }: Invitation, link: string): Mail {
  // A name with line breaks could look like text of ours.
  const name = workspace!.name.replace(/\s+/g, ' ');
  return {
    to: email,
    subject: `Invitation to ${name} on Tracesheet`,
    text: [
      `You are invited to the workspace ${name} on Tracesheet.`,
      '',
      'Open this link to join. It works once:',
      link,
      '',
      `It expires on ${expiresAt.toUTCString()}. If you did not expect this, you can ignore it.`,
    ].join('\n'),
  };
}
