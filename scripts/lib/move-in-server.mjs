// Moves what a server has that speaks the same API. What is there already is not added again, so each part may be repeated.
import { toLogRequest, toLogSpan, toNanoseconds } from './move-in-logs.mjs';

const REQUESTS = '/api/public/v2/requests';
const TRACES = '/api/public/v2/traces';
const nameOf = (name) => encodeURIComponent(name);

/** The items of a list of numbered pages. */
async function* pagesOf(list, key, first = 1) {
  for (let page = first; ; page++) {
    const answer = await list(page);
    yield { page, items: answer[key] };
    if (answer.items?.length === 0 || answer[key].length === 0 || page >= (answer.pages ?? Infinity)) return;
  }
}

/** Moves versions and labels. Gives how many versions the other server has of each prompt, by name. */
export async function movePrompts({ from, to, progress }) {
  const listed = [];
  for await (const { items } of pagesOf((page) => from.get(`/prompt-templates?page=${page}&per_page=25`), 'items'))
    listed.push(...items);
  const known = new Map();
  // What includes others comes after them: whatever is refused waits until the rest has been moved.
  let waiting = listed
    .map(({ id, prompt_name: name, version }) => ({ id, name, version }))
    .toSorted((a, b) => a.id - b.id);
  for (let before = Infinity; waiting.length > 0 && waiting.length < before;) {
    before = waiting.length;
    const refused = [];
    for (const prompt of waiting) {
      const error = await movePrompt(prompt, { from, to }).then(
        () => null,
        (failure) => failure,
      );
      if (error && ![400, 404, 422].includes(error.status)) throw error;
      if (error) refused.push({ ...prompt, error });
      else known.set(prompt.name, prompt.version);
    }
    waiting = refused;
  }
  for (const { name, error } of waiting) progress.refused(`Prompt "${name}"`, error);
  progress.say(`Prompts: ${known.size} of ${listed.length}.`);
  return known;
}

async function movePrompt({ id, name, version: latest }, { from, to }) {
  const there = (await to.find(`/prompt-templates/${nameOf(name)}?resolve_snippets=false`))?.version ?? 0;
  for (let version = there + 1; version <= latest; version++) {
    const { prompt_template, metadata, commit_message, tags, is_snippet } = await from.get(
      `/prompt-templates/${id}?version=${version}&resolve_snippets=false`,
    );
    const prompt = { prompt_name: name, tags: tags ?? [], is_snippet: is_snippet ?? false };
    await to.post('/rest/prompt-templates', {
      prompt_template: prompt,
      prompt_version: { prompt_template, metadata, commit_message },
    });
  }
  const { release_labels: wanted } = await from.get(`/prompt-templates/${id}/labels`);
  if (wanted.length === 0) return;
  const { id: copy } = await to.get(`/prompt-templates/${nameOf(name)}?resolve_snippets=false`);
  const { release_labels: present } = await to.get(`/prompt-templates/${copy}/labels`);
  for (const { release_label: label, prompt_version_number } of wanted) {
    const same = present.find((each) => each.release_label === label);
    if (!same) await to.post(`/prompts/${copy}/label`, { name: label, prompt_version_number });
    else if (same.prompt_version_number !== prompt_version_number) {
      await to.call('PATCH', `/prompt-labels/${same.release_label_id}`, JSON.stringify({ prompt_version_number }));
    }
  }
}

async function datasetsOf(server) {
  const list = [];
  const read = (page) => server.get(`/api/public/v2/datasets?page=${page}&per_page=25`);
  for await (const { items } of pagesOf(read, 'datasets')) list.push(...items);
  return list
    .filter(({ version_number: version }) => version > 0)
    .toSorted((a, b) => a.version_number - b.version_number);
}

/** Versions become versions of a group of the same name, in their order. Drafts are left out. */
export async function moveDatasets({ from, to, progress }) {
  const there = await datasetsOf(to);
  const groups = new Map(there.map(({ dataset_group: { name, id } }) => [name, id]));
  let moved = 0;
  for (const dataset of await datasetsOf(from)) {
    const { name } = dataset.dataset_group;
    const isSame = (each) => each.dataset_group.name === name && each.version_number === dataset.version_number;
    if (there.some(isSame)) continue;
    if (!groups.has(name)) groups.set(name, await createGroup(to, name));
    const rows = [];
    const read = (page) => from.get(`/api/public/v2/datasets/${dataset.id}/rows?page=${page}&per_page=100`);
    for await (const { items } of pagesOf(read, 'rows')) rows.push(...items);
    const objects = rows.map((cells) =>
      Object.fromEntries(dataset.column_names.map((column, at) => [column, cells[at]?.value ?? ''])),
    );
    const file = Buffer.from(JSON.stringify(objects)).toString('base64');
    const body = { dataset_group_id: groups.get(name), file_name: 'moved.json', file_content_base64: file };
    await to.post('/api/public/v2/dataset-versions/from-file', body);
    for (let tries = 0; tries < 600 && !(await datasetsOf(to)).some(isSame); tries++)
      await new Promise((done) => setTimeout(done, 500));
    moved++;
  }
  progress.say(`Datasets: ${moved} versions were added.`);
}

async function createGroup(to, name) {
  const { dataset_group: group } = await to.post('/api/public/v2/dataset-groups', { name });
  return group.id;
}

/** All spans, each with the log that it has. A server without a search of traces keeps those to itself. */
export async function moveTraces({ from, progress, spans }, versions) {
  let cursor = progress.parts.traces ?? undefined;
  for (;;) {
    const asked = { sort_by: 'trace_start', sort_order: 'asc', limit: 25, cursor };
    const page = await from
      .post(`${TRACES}/search`, asked)
      .catch((error) => (error.status === 404 ? null : Promise.reject(error)));
    if (!page)
      return progress.say('Traces: the other server has no search of traces; its calls are moved without them.');
    for (const { trace_id: id } of page.items) {
      const { spans: list } = await from.get(`${TRACES}/${nameOf(id)}`);
      for (const span of list) await moveSpan(span, id, { from, spans, versions });
    }
    await spans.flush();
    progress.say(`Traces: ${spans.sent} spans.`, { now: !page.has_more });
    if (!page.has_more) return;
    progress.keep('traces', (cursor = page.next_cursor));
  }
}

async function moveSpan(span, traceId, { from, spans, versions }) {
  const { name, kind, parent_id, status, attributes, events, links, request_log_id: logId } = span;
  const detail = logId ? await from.find(`${REQUESTS}/${logId}`) : null;
  const start = toNanoseconds(span.start_time);
  const copy = {
    name,
    kind,
    parent_id,
    status,
    attributes,
    events,
    links,
    context: { trace_id: traceId, span_id: span.span_id, trace_state: span.trace_state ?? '' },
    start_time: start,
    end_time: toNanoseconds(span.end_time) ?? start,
    resource: { attributes: {}, schema_url: '', ...span.resource },
    ...(detail && { log_request: toLogRequest(detail, versions) }),
  };
  await spans.add(copy, { scores: detail?.scores, what: `Span ${span.span_id} of trace ${traceId}` });
}

/** Calls that belong to no span. */
export async function moveLogs({ from, progress, spans }, versions) {
  const asked = { sort_by: 'request_start_time', sort_order: 'asc', per_page: 25 };
  const read = (page) => from.post(`${REQUESTS}/search`, { ...asked, page });
  const moved = spans.sent;
  for await (const { page, items } of pagesOf(read, 'items', progress.parts.logs ?? 1)) {
    for (const { id, span_id: span } of items) {
      const detail = span ? null : await from.find(`${REQUESTS}/${id}`);
      if (!detail) continue;
      const row = { ...detail, log_request: toLogRequest(detail, versions) };
      await spans.add(toLogSpan(row, from.url), { scores: detail.scores, what: `Call ${id}` });
    }
    await spans.flush();
    progress.keep('logs', page);
    progress.say(`Calls: ${spans.sent - moved} without a trace.`, { now: false });
  }
  progress.say(`Calls: ${spans.sent - moved} without a trace were moved.`);
}
