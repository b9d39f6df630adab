import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSnippets } from '../../../dashboard/src/screens/developers/make-snippets.ts'
import { perFile } from '../support/per-file.ts'
import { runProgram } from '../support/programs/run-program.ts'
import { runPhp, runPython } from '../support/programs/run-script.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'
import { startLocalService } from '../support/service/local-service.ts'
import { curl } from './curl.ts'

const folder = perFile(() => makeTemporaryFolder('make-snippets'))
const service = perFile(startLocalService)

test.each([
  ['curl', runCurl],
  ['TypeScript', runTypeScript],
  ['Python', sendOf(recordPython)],
  ['PHP', sendOf(recordPhp)],
] as const)("the web app's %s, as it stands, makes a receipt, whatever the key is called", async (language, run) => {
  const keyName = 'Shop\u2028"1" ?>\n*/'
  const { make } = makeSnippets({ baseUrl: service.baseUrl, keyName, keyId: 'k-1', keyHint: 'sk_…' })
  const code = make.find((each) => each.language === language)?.code ?? ''
  const paymentUrl = `${service.baseUrl}/portal/order-1001?recipient=${service.merchant.address}`
  expect((await run(code)).toLowerCase()).toBe(paymentUrl.toLowerCase())
})

async function runCurl(code: string): Promise<string> {
  return JSON.parse(await runProgram('/bin/sh', [await save('make.sh', code)], { env: environment() }))
    .paymentUrl
}

async function runTypeScript(code: string): Promise<string> {
  const file = await save('make.mts', `${code}\nconsole.log(paymentUrl)`)
  return (await runProgram(process.execPath, [file], { env: environment() })).trim()
}

const environment = () => ({ PATH: curl.path, SLUICE_KEY: service.subscriptionKey })

async function save(name: string, code: string): Promise<string> {
  const file = join(folder.path, name)
  await writeFile(file, code)
  return file
}

/**
 * The request that a snippet sends, recorded without a network. `read` is the snippet's result for the
 * response `{ "paymentUrl": "read" }`.
 */
type Recorded = {
  readonly url: string
  readonly method: string
  readonly headers: readonly [string, string][]
  readonly body: string
  readonly read: string
}

function sendOf(record: (code: string) => Promise<string>): (code: string) => Promise<string> {
  return async (code) => {
    const { url, read, ...init }: Recorded = JSON.parse(await record(code))
    expect(read).toBe('read')
    const response = await fetch(url, init as RequestInit)
    return ((await response.json()) as { paymentUrl?: string }).paymentUrl ?? String(response.status)
  }
}

function recordPython(code: string): Promise<string> {
  const program = `
import io, json, os, urllib.request
os.environ["SLUICE_KEY"] = ${JSON.stringify(service.subscriptionKey)}
sent = {}
def urlopen(it):
    sent.update(url=it.full_url, method=it.get_method(), headers=it.header_items(), body=it.data.decode())
    return io.StringIO('{"paymentUrl": "read"}')
urllib.request.urlopen = urlopen
exec(open("make.py").read())
print(json.dumps({**sent, "read": payment_url}))`
  return runPython(program, { 'make.py': code })
}

function recordPhp(code: string): Promise<string> {
  const program = `
    putenv('SLUICE_KEY=${service.subscriptionKey}');
    class Recorder {
      public $context;
      private string $rest = '{"paymentUrl":"read"}';
      public static array $sent = [];
      function stream_open($url) {
        $http = stream_context_get_options($this->context)['http'];
        $pair = fn ($line) => explode(': ', $line, 2);
        self::$sent = ['url' => $url, 'method' => $http['method'], 'body' => $http['content'],
          'headers' => array_map($pair, $http['header'])];
        return true;
      }
      function stream_read($count) { $read = $this->rest; $this->rest = ''; return $read; }
      function stream_eof() { return $this->rest === ''; }
      function stream_stat() { return []; }
    }
    if (in_array('http', stream_get_wrappers())) stream_wrapper_unregister('http');
    stream_wrapper_register('http', 'Recorder');
    require '/program/make.php';
    echo json_encode(Recorder::$sent + ['read' => $paymentUrl]);`
  return runPhp(program, { 'make.php': code })
}
