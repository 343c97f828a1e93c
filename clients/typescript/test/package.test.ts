import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { VERSION } from '../src/index.js'

test('package, client and API have the same version', async () => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { version: string; dependencies?: object }
  const description = await readFile('../../server/openapi/openapi.yaml', 'utf8')
  assert.equal(manifest.version, VERSION)
  assert.equal(/^ {2}version: (.*)$/m.exec(description)?.[1], VERSION)
  assert.equal(manifest.dependencies, undefined)
})
