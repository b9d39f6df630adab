import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sampleWebhookBody } from '@sluice/protocol/api/webhook-body.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import { expect, test } from 'vitest'
import { readBlocks } from '../../../../scripts/guide/read-blocks.ts'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { signedHeaders } from '../../src/webhooks/sign.ts'
import { runProgram } from '../support/programs/run-program.ts'
import { installPackage, runPhp, runPython } from '../support/programs/run-script.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'

const key = 'sk_test_of_the_recipes'
const content = JSON.stringify(sampleWebhookBody)
const message = {
  id: 'id-1',
  brandKey: 'acme',
  deliveryId: 'd-1',
  idempotencyKey: sampleWebhookBody.idempotencyKey,
}
type Delivery = { readonly body: string; readonly headers: Readonly<Record<string, string>> }
/** Returns a genuine delivery, one with a different body, one without Sluice's headers, and an empty one. */
async function makeDeliveries(): Promise<Delivery[]> {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const signed = await signedHeaders({ ...message, body: content }, key, Date.now() as UnixMs)
  for (const [name, value] of Object.entries(signed)) headers[name.toLowerCase()] = value
  const unsigned = { 'content-type': 'application/json' }
  return [
    { body: content, headers },
    { body: content.replace('30', '31'), headers },
    { body: content, headers: unsigned },
    { body: '', headers: {} },
  ]
}
const wanted = [204, 400, 400, 400]

const blockOf = (page: string, file: string) =>
  readBlocks(readFileSync(join(repositoryRoot, `docs/${page}.md`), 'utf8')).find(
    ({ marks }) => marks.get('file') === file,
  )?.text ?? ''

/**
 * Runs a TypeScript recipe. The code in `run` sends the deliveries to the recipe and collects the statuses.
 */
async function runTypeScript(file: string, run: string, packages: readonly string[] = []): Promise<number[]> {
  const folder = await makeTemporaryFolder('recipe', { isSearched: false })
  try {
    for (const name of packages) await installPackage(folder.path, name)
    const sdk = pathToFileURL(join(repositoryRoot, 'packages/sdk/src/sluice.ts')).href
    await writeFile(join(folder.path, 'package.json'), '{"type":"module"}')
    await writeFile(join(folder.path, file), blockOf('webhook-recipes', file).replace('@sluice/sdk', sdk))
    await writeFile(
      join(folder.path, 'run.ts'),
      `const deliveries = ${JSON.stringify(await makeDeliveries())}\nconst statuses = []\n${run}\nconsole.log('statuses ' + JSON.stringify(statuses))\nprocess.exit()`,
    )
    const env = { PATH: process.env.PATH, SLUICE_URL: 'http://127.0.0.1:9', SLUICE_KEY: key }
    const output = await runProgram(process.execPath, [join(folder.path, 'run.ts')], { env })
    expect(output).toContain(sampleWebhookBody.idempotencyKey)
    return JSON.parse(/statuses (.*)/.exec(output)?.[1] ?? '[]')
  } finally {
    await folder.remove()
  }
}

test('the recipe for Express takes a genuine delivery and refuses the others', async () => {
  const run = `import { app } from './express.ts'
    const server = app.listen(0)
    await new Promise((resolve) => server.once('listening', resolve))
    const url = 'http://127.0.0.1:' + server.address().port + '/hooks/sluice'
    for (const { body, headers } of deliveries)
      statuses.push((await fetch(url, { method: 'POST', body, headers })).status)`
  expect(await runTypeScript('express.ts', run, ['express@5.3.0'])).toEqual(wanted)
})

test('the recipe for Next.js takes a genuine delivery and refuses the others', async () => {
  const run = `import { POST } from './next.ts'
    for (const { body, headers } of deliveries)
      statuses.push((await POST(new Request('http://shop/hooks/sluice', { method: 'POST', body, headers }))).status)`
  expect(await runTypeScript('next.ts', run)).toEqual(wanted)
})

test('the recipe for Django takes a genuine delivery and refuses the others', async () => {
  const program = `
import json, os, sys, types

class HttpResponse:
    def __init__(self, status=200):
        self.status_code = status

def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(members)

unchanged = lambda view: view
module("django")
module("django.http", HttpResponse=HttpResponse)
module("django.views")
module("django.views.decorators")
module("django.views.decorators.csrf", csrf_exempt=unchanged)
module("django.views.decorators.http", require_POST=unchanged)
os.environ["SLUICE_KEY"] = "${key}"
sys.path.insert(0, "")
from views import sluice_hook

def status(it):
    headers = {name.title(): value for name, value in it["headers"].items()}
    return sluice_hook(types.SimpleNamespace(body=it["body"].encode(), headers=headers)).status_code

print("statuses", json.dumps([status(it) for it in json.load(open("deliveries.json"))]))
`
  const output = await runPython(program, {
    'verify.py': blockOf('webhooks', 'verify.py'),
    'views.py': blockOf('webhook-recipes', 'views.py'),
    'deliveries.json': JSON.stringify(await makeDeliveries()),
  })
  expect(output).toContain(sampleWebhookBody.idempotencyKey)
  expect(JSON.parse(/statuses (.*)/.exec(output)?.[1] ?? '[]')).toEqual(wanted)
})

test('the recipe for Laravel takes a genuine delivery and refuses the others', async () => {
  const program = `
namespace Illuminate\\Http {
    class Request {
        public object $headers;
        function __construct(private array $it) {
            $this->headers = new class($it['headers']) {
                function __construct(private array $all) {}
                function all(): array { return array_map(fn ($value) => [$value], $this->all); }
            };
        }
        function getContent(): string { return $this->it['body']; }
    }
}
namespace Illuminate\\Support\\Facades {
    class Route {
        static $handle;
        static function post(string $path, callable $handle): void { self::$handle = $handle; }
    }
}
namespace {
    function app_path(string $name): string { return '/program/' . $name; }
    function config(string $name): string { return '${key}'; }
    function response(string $content, int $status): int { return $status; }
    function logger() {
        return new class { function info(string $text, array $context): void { echo implode(' ', $context) . "\n"; } };
    }
    require '/program/api.php';
    $deliveries = json_decode(file_get_contents('/program/deliveries.json'), true);
    $handle = fn ($it) => (\\Illuminate\\Support\\Facades\\Route::$handle)(new \\Illuminate\\Http\\Request($it));
    echo 'statuses ' . json_encode(array_map($handle, $deliveries));
}
`
  const output = await runPhp(program, {
    'verify.php': blockOf('webhooks', 'verify.php'),
    'api.php': blockOf('webhook-recipes', 'api.php'),
    'deliveries.json': JSON.stringify(await makeDeliveries()),
  })
  expect(output).toContain(sampleWebhookBody.idempotencyKey)
  expect(JSON.parse(/statuses (.*)/.exec(output)?.[1] ?? '[]')).toEqual(wanted)
})
