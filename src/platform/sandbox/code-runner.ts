import { Injectable } from '@nestjs/common';
import { readJson } from '../read-json.js';
import type { JsonValue } from '../json.js';
import type { TurnOwner } from '../turns.js';
import type { CodeCall, FunctionForm } from './code.messages.js';
import { MAX_CODE_DATA } from './limits.js';
import { OUT_OF_MEMORY, RowGroup } from './row-group.js';
import type { RowOutcome } from './row-outcome.js';
import { Sandbox } from './sandbox.js';
import { Stopped } from './sandbox-process.js';

export const LANGUAGES = ['PYTHON', 'JAVASCRIPT'] as const;
export type Language = (typeof LANGUAGES)[number];

export interface Code {
  language: Language;
  code: string;
}

/** A function whose body a user wrote; its parameter is `args`. */
export interface CodeFunction extends Code, FunctionForm {
  timeMs: number;
  /** Aborts the function. */
  signal?: AbortSignal;
}

export interface FunctionOutcome {
  outcome: { value: JsonValue } | { error: { type: string; message: string } };
  stdout: string;
  stderr: string;
  durationMs: number;
}

/** A function that was stopped because it took too long. */
export class CodeTimeout extends Error {}

/** The answer of a process. */
type FunctionAnswer = { stdout?: string; stderr?: string; ms?: number } & (
  { value: JsonValue } | { error: string | { type: string; message: string } }
);

const KINDS = { PYTHON: 'python', JAVASCRIPT: 'javascript' } as const;

/**
 * Runs code of users in the sandbox: JavaScript in an interpreter of its own, Python in one compiled to WebAssembly. It
 * sees its data and the standard library: no files, no network, no environment, no other process. Every call gets the
 * interpreter in the state after loading.
 */
@Injectable()
export class CodeRunner {
  /** Calls of the same code wait together and are sent together. */
  private readonly groups = new Map<string, RowGroup<string>>();

  constructor(private readonly sandbox: Sandbox) {}

  /** Runs the code with an object. Rejects with the reason of the signal, which stops the code at once. */
  async run(code: Code, data: object, owner: TurnOwner, signal: AbortSignal): Promise<RowOutcome> {
    const json = JSON.stringify(data);
    if (json.length > MAX_CODE_DATA || Buffer.byteLength(json) > MAX_CODE_DATA) {
      return { error: `The data of the row is larger than ${MAX_CODE_DATA >> 20} MiB.` };
    }
    return this.groupOf(code, owner).add(json, json.length, signal);
  }

  /**
   * Calls a function once, by itself. Rejects with a CodeTimeout when it exceeds its time limit, and with another error
   * when the sandbox fails. Errors of the code are outcomes.
   */
  async runFunction(called: CodeFunction, args: object, owner: TurnOwner): Promise<FunctionOutcome> {
    const { language, code, name, env, timeMs, signal } = called;
    const argument: CodeCall = { code, rows: [JSON.stringify(args)], form: { name, env } };
    try {
      const answer = await this.sandbox.call<string>(KINDS[language], { argument, timeMs, signal }, owner);
      return toFunctionOutcome((readJson(answer) as [FunctionAnswer])[0]);
    } catch (error) {
      if (error instanceof Stopped && error.why === 'time') throw new CodeTimeout();
      if (!(error instanceof Stopped) || error.why !== 'memory') throw error;
      return {
        outcome: { error: { type: 'MemoryError', message: OUT_OF_MEMORY } },
        stdout: '',
        stderr: '',
        durationMs: 0,
      };
    }
  }

  private groupOf({ language, code }: Code, owner: TurnOwner): RowGroup<string> {
    const key = JSON.stringify([owner.workspaceId, owner.keyId, language, code]);
    let group = this.groups.get(key);
    if (!group) {
      const { limits, share: width } = this.sandbox;
      const argumentOf = (rows: string[]): CodeCall => ({ code, rows });
      const read = (answer: unknown) => readJson(answer as string) as RowOutcome[];
      const rules = { timeMs: limits.codeMs, width, broken: 'It broke the interpreter' };
      const work = { ...rules, kind: KINDS[language], owner, argumentOf, read };
      group = new RowGroup(this.sandbox, work, () => this.groups.delete(key));
      this.groups.set(key, group);
    }
    return group;
  }
}

function toFunctionOutcome(answer: FunctionAnswer): FunctionOutcome {
  const { stdout = '', stderr = '', ms: durationMs = 0 } = answer;
  if ('value' in answer) return { outcome: { value: answer.value }, stdout, stderr, durationMs };
  const { error } = answer;
  return {
    outcome: { error: typeof error === 'string' ? { type: 'Error', message: error } : error },
    stdout,
    stderr,
    durationMs,
  };
}
