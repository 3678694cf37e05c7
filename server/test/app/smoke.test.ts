import { createFernet } from '@fish-crab/sdk/fernet'
import { expect, it } from 'vitest'
import { basic, createWorld } from './world.ts'
it('smokes', async () => {
  const w = await createWorld()
  const show = async (p: string, i?: RequestInit) => { const r = await w.request(p, i); console.log(p, r.status, Object.fromEntries(r.headers), await r.text()) }
  await show('/status'); await show('/nope'); await show('/v1//get/%66ish/?name=alex&gamemode=earth'); await show('/get/fish', {method:'HEAD'}); await show('/get/fish', {method:'DELETE'})
  const t = await createFernet(w.alex.fernetKey).encrypt(JSON.stringify({fish:'Salmon',rarity:3}))
  const post = { method: 'POST', body: t, headers: { 'content-type':'application/octet-stream','x-gamemode':'earth'}}
  await show('/post/fish?name=ALEX', post); await show('/post/fish?name=ALEX', post)
  await show('/get/fish?name=alex&gamemode=earth&detail=full')
  await show('/get/fish?name=alex&gamemode=earth&limit=1')
  await show('/get/user/key', { headers: { authorization: basic('Alex','alex-password') }})
  await show('/get/user/key', { headers: { authorization: basic('Alex','alex-passwor') }})
  await show('/get/user/key?name=alex', { headers: { authorization: basic('root','root-password') }})
  await show('/get/fish', {method:'OPTIONS', headers: {origin:'http://a', 'access-control-request-method':'GET'}})
  const login = await w.request('/admin/login', {method:'POST', headers:{'content-type':'application/json'}, body: JSON.stringify({username:'root',password:'root-password'})})
  const { token } = await login.json()
  const h = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  await show('/admin/users', { headers: h })
  await show('/admin/users', { headers: h, method: 'POST', body: JSON.stringify({name:'Bob'}) })
  await show('/admin/users?limit=1', { headers: h }); await show('/admin/users?search=b', { headers: h })
  await show('/admin/users/Bob/reset', { headers: h, method: 'POST', body: JSON.stringify({type:'fernet'}) })
  await show('/admin/users/Bob', { headers: h, method: 'DELETE' })
  await show('/admin/users/Bob', { headers: h, method: 'DELETE' })
  await show('/admin/users', { headers: h, method: 'POST', body: '{"name":"-x","password":3}' })
  expect(1).toBe(1)
})
