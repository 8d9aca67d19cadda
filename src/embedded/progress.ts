const REMIND_EVERY_MS = 5_000;

/** Progress lines for the terminal, each with the seconds since the start. */
export class Progress {
  /** @param startedAt milliseconds since the epoch; the wrapper that installs and builds passes its own start on */
  constructor(private readonly startedAt: number) {}

  say(text: string): void {
    console.log(`[${this.elapsedSeconds().toFixed(1).padStart(5)} s] ${text}`);
  }

  /** Repeats the line every few seconds while the work goes on, so that it never looks like a hang. */
  async during<T>(text: string, work: Promise<T>): Promise<T> {
    this.say(text);
    const reminder = setInterval(() => this.say(`${text} (still working)`), REMIND_EVERY_MS);
    return work.finally(() => clearInterval(reminder));
  }

  elapsedSeconds(): number {
    return (Date.now() - this.startedAt) / 1000;
  }
}
