// Every domain of the server, one line each. What belongs to a domain is in its manifest.
import './access/manifest.js';
import './llm/manifest.js';
import './events/manifest.js';
import './external-ids/manifest.js';
import './entity-lists/manifest.js';
import './folders/manifest.js';
import './prompts/manifest.js';
import './requests/manifest.js';
import './traces/manifest.js';
import './track-requests/manifest.js';
import './mcp-servers/manifest.js';
import './tables/manifest.js';
import './datasets/manifest.js';
import './evaluations/manifest.js';
import './webhooks/manifest.js';
import './exports/manifest.js';
import './retention/manifest.js';
