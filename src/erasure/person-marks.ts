export const SUBJECT_TYPES = ['user_id', 'session_id', 'metadata'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** Whose data are meant: all of a user, all of a session, or all that has a pair in its metadata. */
export interface Subject {
  type: SubjectType;
  key: string;
  value: string;
}

/** The key of the metadata in which search finds it: where senders say it in other words, those are read as these. */
const METADATA_KEYS = { user_id: 'user_id', session_id: 'conversation_id' } as const;

/** What else the key is called in the JSON that is copied into cells, events and answers. */
const SPELLINGS: Record<Exclude<SubjectType, 'metadata'>, readonly string[]> = {
  user_id: ['user_id', 'userId', 'user.id', 'enduser.id', 'langfuse.user.id', 'metadata.user_id'],
  session_id: ['session_id', 'sessionId', 'session.id', 'conversation_id', 'gen_ai.conversation.id', 'thread_id'],
};

/** A value that is shorter may stand for anything else as well: it counts only where its key stands beside it. */
const TELLING_LENGTH = 8;

export function subjectOf(type: SubjectType, value: string, key?: string): Subject {
  return { type, value, key: type === 'metadata' ? key! : METADATA_KEYS[type] };
}

/**
 * Texts that stand in JSON where it is about the person: the value of a user or session as a whole string, whatever it is called, when it
 * is long enough to mean nothing else; otherwise the pair of key and value. Each as PostgreSQL and as JavaScript write JSON, and once
 * more for JSON that is a text inside of JSON. With `shown` they are the same texts with that in place of the value.
 */
export function needlesOf({ type, key, value }: Subject, shown = value): string[] {
  const text = JSON.stringify(shown);
  const isTelling = type !== 'metadata' && value.length >= TELLING_LENGTH;
  const keys = type === 'metadata' ? [key] : SPELLINGS[type];
  const pairs = keys.flatMap((each) => [`${JSON.stringify(each)}: ${text}`, `${JSON.stringify(each)}:${text}`]);
  const plain = isTelling ? [text] : pairs;
  return [...plain, ...plain.map((needle) => JSON.stringify(needle).slice(1, -1))];
}
