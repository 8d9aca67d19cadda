import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { FailedCall } from './model-calls.js';
import { ModelFailure } from './model-failure.js';

/** Arguments that set the format of an answer. */
const FORMATS = [
  ['response_format'],
  ['text', 'format'],
  ['output_config', 'format'],
  ['outputConfig', 'textFormat'],
  ['generation_config', 'response_schema'],
  ['generation_config', 'response_json_schema'],
  ['generation_config', 'response_mime_type'],
];
/** Words in which services refuse such an argument. */
const FORMAT_WORDS =
  /response_?(?:format|schema|json_?schema|mime)|(?:json|output)_?(?:schema|format|config)|text_?\.?format|structured[ _]output|json mode/i;

/** Objects that may hold sampling parameters. */
const PLACES = [[], ['generation_config'], ['inferenceConfig'], ['additionalModelRequestFields']];
/** Sampling parameters are optional; without a token limit or its tools a model would behave differently. */
const SAMPLING =
  /^(?:temperature|top_?[pk]|seed|random_seed|(?:frequency|presence)_?penalty|logprobs|parallel_tool_calls|reasoning_effort)$/i;
/** Words for an unknown parameter, as opposed to a value out of range. */
const UNKNOWN_WORDS =
  /unsupported|not support|only the default|not (?:permitted|allowed|accepted)|deprecated|unexpected|unknown|unrecogni[sz]ed|extra inputs|\bboth\b/i;
const OLDER_LIMIT = 'max_tokens';
const NEWER_LIMIT = 'max_completion_tokens';

/** Limit of services and models that are remembered. The oldest is dropped first. */
const MOST_KNOWN = 1000;

/** An argument that is left out for one service and model, or renamed. */
type Lesson = { leave: string[] } | { rename: [string, string] };

/**
 * Arguments that services and models have refused, learned from their answers, because supported parameters change with
 * every release of a vendor. Kept for the lifetime of the process.
 */
export class RefusedArguments {
  private readonly lessons = new Map<string, Lesson[]>();

  /**
   * The arguments without those that `whom`, a service and a model, has refused; `left` are the parameters that are not
   * sent.
   */
  without(whom: string, kwargs: JsonObject): { kwargs: JsonObject; left: string[] } {
    const lessons = this.lessons.get(whom) ?? [];
    const left = lessons.flatMap((lesson) =>
      'leave' in lesson && !isFormat(lesson.leave) && valueAt(kwargs, lesson.leave) !== undefined
        ? lesson.leave.at(-1)!
        : [],
    );
    return { kwargs: lessons.reduce(apply, kwargs), left };
  }

  /** Whether a failure is about optional arguments. If so, they are left out from now on. */
  learn(whom: string, sent: JsonObject, failure: unknown): boolean {
    if (!(failure instanceof ModelFailure) || failure.type !== 'PROVIDER_ERROR' || failure.retry) return false;
    const found = lessonsIn(failure.message, sent);
    if (found.length === 0) return false;
    const known = this.lessons.get(whom) ?? [];
    this.lessons.delete(whom);
    if (this.lessons.size >= MOST_KNOWN) this.lessons.delete(this.lessons.keys().next().value!);
    this.lessons.set(whom, [...known, ...found]);
    return true;
  }

  /**
   * Calls without the optional arguments that `whom` refuses, and again as long as something is learned. `onRefused`
   * gets the failed calls before. `left` are the parameters that were not sent.
   */
  async adapt<T>(
    whom: string,
    kwargs: JsonObject,
    { call, onRefused }: { call: (kwargs: JsonObject) => Promise<T>; onRefused: (refused: FailedCall) => void },
  ): Promise<{ made: T; left: string[] }> {
    for (;;) {
      const { kwargs: taken, left } = this.without(whom, kwargs);
      try {
        return { made: await call(taken), left };
      } catch (error) {
        if (!(error instanceof FailedCall) || !this.learn(whom, taken, error.failure)) throw error;
        onRefused(error);
      }
    }
  }
}

/** A sentence for people about the parameters that were left out. */
export const leftOut = (left: string[]): string =>
  `Left out, because the model does not support it: ${left.join(', ')}.`;

function lessonsIn(message: string, sent: JsonObject): Lesson[] {
  if (message.includes(NEWER_LIMIT) && OLDER_LIMIT in sent) return [{ rename: [OLDER_LIMIT, NEWER_LIMIT] }];
  const formats = FORMATS.filter((path) => valueAt(sent, path) !== undefined);
  if (formats.length > 0 && FORMAT_WORDS.test(message)) return formats.map((leave) => ({ leave }));
  if (!UNKNOWN_WORDS.test(message)) return [];
  const named = PLACES.flatMap((place) => samplingAt(sent, place)).filter((path) => names(message, path.at(-1)!));
  // "temperature and top_p cannot both be specified": the first may stay.
  const inOrder = named.toSorted((a, b) => message.indexOf(a.at(-1)!) - message.indexOf(b.at(-1)!));
  return (/\bboth\b/i.test(message) ? inOrder.slice(1) : inOrder).map((leave) => ({ leave }));
}

function samplingAt(sent: JsonObject, place: string[]): string[][] {
  const group = place.length === 0 ? sent : valueAt(sent, place);
  if (!isObject(group)) return [];
  return Object.keys(group)
    .filter((name) => SAMPLING.test(name))
    .map((name) => [...place, name]);
}

const names = (message: string, name: string): boolean =>
  new RegExp(`(?<![\\w.-])${name}(?![\\w-])`, 'i').test(message);

const isFormat = (path: string[]): boolean => FORMATS.some((format) => format.join() === path.join());

function valueAt(kwargs: JsonObject, path: string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((inner, name) => (isObject(inner) ? inner[name] : undefined), kwargs);
}

function apply(kwargs: JsonObject, lesson: Lesson): JsonObject {
  if ('leave' in lesson) return withoutPath(kwargs, lesson.leave);
  const [older, newer] = lesson.rename;
  const { [older]: value, ...others } = kwargs;
  return value === undefined ? kwargs : { ...others, [newer]: value };
}

/** Removes groups that become empty, too. */
function withoutPath(kwargs: JsonObject, [name, ...rest]: string[]): JsonObject {
  const { [name!]: value, ...others } = kwargs;
  if (rest.length === 0 || !isObject(value)) return rest.length === 0 ? others : kwargs;
  const group = withoutPath(value, rest);
  return Object.keys(group).length === 0 ? others : { ...others, [name!]: group };
}
