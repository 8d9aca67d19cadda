import { SMTPServer } from 'smtp-server';
import { until } from './until.js';

export interface ReceivedMail {
  recipients: string[];
  /** Headers and text as they came, without line breaks that SMTP adds to long lines. */
  text: string;
}

/** Mail server that keeps its messages. */
export class Mailbox {
  readonly mails: ReceivedMail[] = [];
  /** Refuses every message while it is set. */
  refuses = false;

  private constructor(
    private readonly server: SMTPServer,
    readonly url: string,
  ) {}

  static async start(): Promise<Mailbox> {
    let box: Mailbox;
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, session, done) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          if (box.refuses) return done(new Error('The mailbox is full.'));
          const text = Buffer.concat(chunks).toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
          box.mails.push({ recipients: session.envelope.rcptTo.map(({ address }) => address), text });
          done();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as { port: number };
    box = new Mailbox(server, `smtp://127.0.0.1:${port}`);
    return box;
  }

  /** The mail to an address that comes next, or has come. */
  async next(address: string): Promise<ReceivedMail> {
    let found: ReceivedMail | undefined;
    await until(async () => {
      const at = this.mails.findIndex(({ recipients }) => recipients.includes(address));
      found = at < 0 ? undefined : this.mails.splice(at, 1)[0];
      return Promise.resolve(found !== undefined);
    });
    return found!;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
