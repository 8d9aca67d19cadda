import { Injectable } from '@nestjs/common';
import { readJson } from '../read-json.js';
import type { JsonValue } from '../json.js';
import type { TurnOwner } from '../turns.js';
import type { CodeCall } from './code.messages.js';
import { MAX_CODE_DATA } from './limits.js';
import { RowGroup, type RowOutcome } from './row-group.js';
import { Sandbox } from './sandbox.js';

export const LANGUAGES = ['PYTHON', 'JAVASCRIPT'] as const;
export type Language = (typeof LANGUAGES)[number];

export interface Code {
  language: Language;
  code: string;
}

/** What came of it: a value, or why there is none. */
export type CodeOutcome = { value: JsonValue } | { error: string };

const KINDS = { PYTHON: 'python', JAVASCRIPT: 'plain' } as const;

/**
 * Runs code of users in the sandbox: JavaScript in an interpreter of its own, Python in one compiled to WebAssembly. It sees its
 * data and the standard library: no files, no network, no environment, no other process. Every call finds the interpreter as it
 * was when it was loaded.
 */
@Injectable()
export class CodeRunner {
  /** Calls of the same code wait together and are sent together. */
  private readonly groups = new Map<string, RowGroup<string, CodeOutcome>>();

  constructor(private readonly sandbox: Sandbox) {}

  /** Runs the code with an object. Rejects with the reason of the signal, which ends what runs at once. */
  async run(code: Code, data: object, owner: TurnOwner, signal: AbortSignal): Promise<CodeOutcome> {
    const json = JSON.stringify(data);
    if (json.length > MAX_CODE_DATA || Buffer.byteLength(json) > MAX_CODE_DATA) {
      return { error: `The data of the row is larger than ${MAX_CODE_DATA >> 20} MiB.` };
    }
    return this.settled(await this.groupOf(code, owner).add(json, json.length, signal));
  }

  private groupOf({ language, code }: Code, owner: TurnOwner): RowGroup<string, CodeOutcome> {
    const key = JSON.stringify([owner.workspaceId, owner.keyId, language, code]);
    let group = this.groups.get(key);
    if (!group) {
      const { codeMs: timeMs, codeMb } = this.sandbox.limits;
      const { workspaceId } = owner;
      const argumentOf = (rows: string[]): CodeCall => ({ code, rows, timeMs, memoryBytes: codeMb << 20, workspaceId });
      const read = (answer: unknown) => readJson(answer as string) as CodeOutcome[];
      const method = language.toLowerCase();
      const work = { kind: KINDS[language], method, owner, timeMs, width: this.sandbox.share, argumentOf, read };
      group = new RowGroup(this.sandbox, work, () => this.groups.delete(key));
      this.groups.set(key, group);
    }
    return group;
  }

  private settled(outcome: RowOutcome<CodeOutcome>): CodeOutcome {
    if (!('stopped' in outcome)) return outcome;
    switch (outcome.stopped) {
      case 'memory':
        return { error: 'It needed too much memory and was stopped.' };
      case 'broken':
        return { error: `It broke the interpreter: ${outcome.detail}` };
      default:
        return { error: `It took longer than ${this.sandbox.limits.codeMs / 1000} seconds and was stopped.` };
    }
  }
}
