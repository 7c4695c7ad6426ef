// Conch session script, built from frontend/src. Do not edit.
(()=>{var{apply:le,construct:At,defineProperty:ge,getOwnPropertyDescriptor:Gt}=Reflect,{AbortController:hn,ArrayBuffer:ct,Blob:Vr,
DOMException:zr,DataView:fe,Error:te,EventSource:Fr,JSON:De,Map:W,Number:ie,Object:O,Promise:me,Proxy:Gr,RangeError:$,Set:ye,
String:qr,TextDecoder:wn,TextEncoder:gn,TypeError:M,URL:lt,Uint32Array:be,Uint8Array:P,WeakMap:mn,XMLHttpRequest:yn,clearTimeout:bn,
encodeURIComponent:Et}=globalThis,{abs:_n,floor:Ve,fround:Sn,max:J,min:ee,random:Xr}=Math,qt=Date.now,xn=globalThis.performance?
globalThis.performance.now.bind(globalThis.performance):qt;function Tn(e){return Fo.getRandomValues(new P(e))}var Wr=Xt(
globalThis.fetch),An=Xt(globalThis.setTimeout),Jr=Xt(globalThis.setInterval),ve=globalThis.console,kt={error:ve.error.bind(
ve),warn:ve.warn.bind(ve),info:ve.info.bind(ve)},{crypto:Fo}=globalThis,{addEventListener:Go,removeEventListener:qo}=globalThis.
EventTarget.prototype;function Xt(e){return e&&e.bind(globalThis)}function ze(e,t,n,o){le(Go,e,[t,n,o])}function Fe(e,t,n){
le(qo,e,[t,n])}function de(e,t){let n=e&&Gt(e,t)?.get;return n?o=>le(n,o,[]):o=>o[t]}function En(e){let t=e.prototype,{send:n,close:o}=t,r=Gt(t,"binaryType")?.set,{MessageEvent:d,CloseEvent:p}=globalThis;return{
open(l,i){let s=At(e,i===void 0?[l]:[l,i]);return r&&le(r,s,["arraybuffer"]),s},send:(l,i)=>le(n,l,[i]),close:(l,...i)=>le(
o,l,i),readyState:de(t,"readyState"),bufferedAmount:de(t,"bufferedAmount"),protocol:de(t,"protocol"),listen:ze,unlisten:Fe,
data:de(d?.prototype,"data"),code:de(p?.prototype,"code"),reason:de(p?.prototype,"reason"),wasClean:de(p?.prototype,"was\
Clean")}}function kn(e,t=kt){return{debugging:e.debug,error:(n,...o)=>t.error(`net [${n}]`,...o),note:(n,o)=>t.warn(`net [${n}] ${o}`),
debug:(n,o)=>{e.debug&&t.info(`net [${n}] ${o}`)}}}var Wt=1<<20,Jt=ie.MAX_SAFE_INTEGER,Xo=de(ct.prototype,"byteLength"),Wo=new gn,Jo=new wn("utf-8",{fatal:!0,ignoreBOM:!0});
function Y(e){return Wo.encode(e)}function _e(e){return Jo.decode(e)}function ae(e){if(e instanceof pe)return e._bytes.subarray(
0,e._length);if(ct.isView(e))return new P(e.buffer,e.byteOffset,e.byteLength);if(e==null)return new P(0);try{Xo(e)}catch{
throw new M("bytes are a DataStream, an ArrayBuffer, a typed array or a DataView")}return new P(e)}var pe=class{constructor(){
this._bytes=new P(64),this._view=new fe(this._bytes.buffer),this._length=0,this._at=0,this._limit=Wt}static from(t){let n=ae(
t);if(n.length>Wt)throw new $(`DataStream: ${n.length} bytes, at most ${Wt} fit`);return ut(n.slice())}get length(){return this.
_length}get position(){return this._at}set position(t){if(!(t>=0&&t<=this._length)||t%1!==0)throw new $(`DataStream: no \
position ${t}`);this._at=t}toUint8Array(){return this._bytes.slice(0,this._length)}_grow(t){let n=this._at,o=n+t;if(o>this.
_limit)throw new $(`DataStream: at most ${this._limit} bytes fit`);if(o>this._bytes.length){let r=new P(J(o,this._bytes.
length*2));r.set(this._bytes),this._bytes=r,this._view=new fe(r.buffer)}return this._at=o,o>this._length&&(this._length=
o),n}_take(t){let n=this._at;if(n+t>this._length)throw new $("DataStream: read past the end");return this._at=n+t,n}writeU8(t){
let n=this._grow(1);this._view.setUint8(n,t)}writeI8(t){let n=this._grow(1);this._view.setInt8(n,t)}writeU16(t){let n=this.
_grow(2);this._view.setUint16(n,t,!0)}writeI16(t){let n=this._grow(2);this._view.setInt16(n,t,!0)}writeU32(t){let n=this.
_grow(4);this._view.setUint32(n,t,!0)}writeI32(t){let n=this._grow(4);this._view.setInt32(n,t,!0)}writeF32(t){let n=this.
_grow(4);this._view.setFloat32(n,t,!0)}writeF64(t){let n=this._grow(8);this._view.setFloat64(n,t,!0)}writeBool(t){this.writeU8(
t?1:0)}writeVarU(t){if(!(t>=0&&t<=Jt)||t%1!==0)throw new $(`DataStream: ${t} is no varint`);for(;t>127;)this.writeU8(t%128+
128),t=(t-t%128)/128;this.writeU8(t)}writeVarI(t){this.writeVarU(t<0?-t*2-1:t*2)}writeString(t){this.writeBytes(Y(t))}writeBytes(t){
let n=ae(t);this.writeVarU(n.length),this.writeRaw(n)}writeRaw(t){let n=ae(t),o=this._grow(n.length);this._bytes.set(n,o)}readU8(){
return this._view.getUint8(this._take(1))}readI8(){return this._view.getInt8(this._take(1))}readU16(){return this._view.
getUint16(this._take(2),!0)}readI16(){return this._view.getInt16(this._take(2),!0)}readU32(){return this._view.getUint32(
this._take(4),!0)}readI32(){return this._view.getInt32(this._take(4),!0)}readF32(){return this._view.getFloat32(this._take(
4),!0)}readF64(){return this._view.getFloat64(this._take(8),!0)}readBool(){let t=this.readU8();if(t>1)throw new $("DataS\
tream: neither true nor false");return t===1}readVarU(){let t=0;for(let n=1;n<2**56;n*=128){let o=this.readU8();if(t+=(o&
127)*n,!(o>127)){if(t>Jt||o===0&&n>1)break;return t}}throw new $("DataStream: not a varint")}readVarI(){let t=this.readVarU();
return t%2?-(t+1)/2:t/2}readString(){return _e(this.readRaw(this.readVarU()))}readBytes(){return this.readRaw(this.readVarU()).
slice()}readRaw(t){let n=this._take(t);return this._bytes.subarray(n,n+t)}};function ut(e){let t=new pe;return t._bytes=
e,t._view=new fe(e.buffer,e.byteOffset,e.byteLength),t._length=e.length,t}function Ge(){let e=new pe;return e._limit=Jt,
e}var Rn=65536,In=16,$n=4096,On=ie.MAX_SAFE_INTEGER,{hasOwnProperty:Yo}=O.prototype,qe=new fe(new P(8).buffer);function Yt(e,{
size:t=Rn,nesting:n=In,elements:o=$n}={}){let r=new fe(e.buffer,e.byteOffset,e.byteLength),d=0;function p(g){let m=d;if(m+
g>e.length||m+g>t)throw new $("value is cut short or too long");return d+=g,m}function l(g){if(g<24)return g;if(g===24)return r.
getUint8(p(1));if(g===25)return r.getUint16(p(2));if(g===26)return r.getUint32(p(4));if(g!==27)throw new $("value of unk\
nown length");let m=p(8),b=r.getUint32(m)*2**32+r.getUint32(m+4);if(b>On)throw new $("number too large");return b}function i(g){
let m=l(g);if(m>o)throw new $(`${m} elements, at most ${o}`);return m}function s(g){let m=l(g),b=p(m);return e.subarray(
b,b+m)}function a(g){if(g===20||g===21)return g===21;if(g===22)return null;if(g===25)return Zo(r.getUint16(p(2)));if(g===
26)return r.getFloat32(p(4));if(g===27)return r.getFloat64(p(8));throw new $("not a value of state")}function f(g){let m=r.
getUint8(p(1)),b=m&31,U=m>>5;if(g===0&&(U===4||U===5))throw new $("nested too deep");switch(U){case 0:return l(b);case 1:{
let C=l(b);if(C===On)throw new $("number too large");return-1-C}case 2:return s(b).slice();case 3:return _e(s(b));case 4:{
let C=[];for(let E=i(b);E>0;E--)C.push(f(g-1));return O.freeze(C)}case 5:{let C={};for(let E=i(b);E>0;E--){let j=r.getUint8(
p(1));if(j>>5!==3)throw new $("a key that is no text");let N=_e(s(j&31));if(le(Yo,C,[N]))throw new $("the same key twice");
ge(C,N,{value:f(g-1),enumerable:!0})}return O.freeze(C)}case 7:return a(b);default:throw new $("not a value of state")}}
return{value:f(n),length:d}}function ft(e,t){let{value:n,length:o}=Yt(e,t);if(o!==e.length)throw new $("bytes after the \
value");return n}function dt(e,{size:t=Rn,nesting:n=In,elements:o=$n}={}){let r=Ge();function d(s,a){let f=s<<5;if(a<24)
return r.writeU8(f|a);let w=a<2**8?0:a<2**16?1:a<2**32?2:3;r.writeU8(f|24+w),qe.setUint32(0,a/2**32),qe.setUint32(4,a),r.
writeRaw(new P(qe.buffer,8-(1<<w)))}function p(s,a){d(s,a.length),r.writeRaw(a)}function l(s){if(ie.isSafeInteger(s)&&(s!==
0||1/s>0))return s<0?d(1,-1-s):d(0,s);let a=Sn(s)===s||s!==s;r.writeU8(a?250:251),a?qe.setFloat32(0,s):qe.setFloat64(0,s),
r.writeRaw(new P(qe.buffer,0,a?4:8))}function i(s,a){if(r.length>t)throw new $(`a value of state has at most ${t} bytes`);
if(s===null||s===!1||s===!0)return r.writeU8(s===null?246:s?245:244);if(typeof s=="number")return l(s);if(typeof s=="str\
ing")return p(3,Y(s));if(s instanceof P)return p(2,s);let f=Array.isArray(s);if(!f&&!Ko(s))throw new M("state holds null\
, booleans, numbers, texts, Uint8Array, lists and plain objects of these");if(a===0)throw new $(`a value of state nests \
at most ${n} deep`);let w=f?s:O.keys(s);if(w.length>o)throw new $(`a list or object in state has at most ${o} elements`);
d(f?4:5,w.length);for(let g of w)f||p(3,Y(g)),i(f?g:s[g],a-1)}if(i(e,n),r.length>t)throw new $(`a value of state has at \
most ${t} bytes`);return r.toUint8Array()}function Ko(e){if(typeof e!="object")return!1;let t=O.getPrototypeOf(e);return t===
null||O.getPrototypeOf(t)===null}function Zo(e){let t=e>>10&31,n=e&1023,o=t===31?n?NaN:1/0:t===0?n*2**-24:(1024+n)*2**(t-
25);return e&32768?-o:o}var en="conch.session.1",Bn="/_conch/session",Hn=524288,Qo=16<<20,Cn=4096,Un=1,It=0,Ee=1,F=2,wt=["ok","no_handler","hand\
ler_threw","no_object","not_owner","rejected","rate_limited","queue_full","too_large","peer_gone","not_ready","no_owner",
"timeout","unknown"],R={read:e=>e.readVarU(),write:(e,t)=>e.writeVarU(t)},Ot={read:e=>e.readU8(),write:(e,t)=>e.writeU8(
t)},Mn={read:e=>e.readU32(),write:(e,t)=>e.writeU32(t)},ht={read:e=>e.readBool(),write:(e,t)=>e.writeBool(t)},pt=e=>({read:t=>t.
readRaw(e).slice(),write:(t,n)=>t.writeRaw(n)}),Ae=e=>({read:t=>t.readRaw($t(t.readVarU(),e)).slice(),write:(t,n)=>t.writeBytes(
n)}),We=(e,t=0)=>({read(n){let o=$t(n.readVarU(),e);if(o<t)throw new $("a name that is empty");return _e(n.readRaw(o))},
write:(n,o)=>n.writeBytes(Y(o))}),Rt=(e,t)=>({read(n){let o=[];for(let r=$t(n.readVarU(),e);r>0;r--)o.push(t.read(n));return o},
write(n,o){n.writeVarU(o.length);for(let r of o)t.write(n,r)}}),H=(e,t)=>({read(n){let o={};for(let r in e)o[r]=e[r].read(
n);if(t&&!t(o))throw new $("a field out of range");return o},write(n,o){for(let r in e)e[r].write(n,o[r])}}),Zt={read(e){
let t=e.readVarU();if(t%4>F||t%4===It&&t>0)throw new $("a target of no kind");return t},write:R.write},er={read(e){let t=e.
readVarU(),n=(t-t%2)/2;if(t%2)return{name:n,removed:!0,raw:new P(0),value:void 0};let o=e.position,{value:r,length:d}=Yt(
e.readRaw(e.length-o));return e.position=o,{name:n,removed:!1,raw:e.readRaw(d).slice(),value:r}},write(e,t){e.writeVarU(
t.name*2+(t.removed?1:0)),e.writeRaw(t.raw)}},Qt=Rt(1024,er),jn=H({class:We(128),owner:R,persistent:ht}),vn={read(e){let t=Zt.
read(e),{class:n,owner:o,persistent:r}=t%4===F?jn.read(e):{class:"",owner:0,persistent:!1};return{target:t,class:n,owner:o,
persistent:r,fields:Qt.read(e)}},write(e,t){e.writeVarU(t.target),t.target%4===F&&jn.write(e,t),Qt.write(e,t.fields)}},Pn=We(
128,1),Ln=Ae(262144),Xe=We(128),Kt=We(512),Nn=We(32),tr=H({args:R,message:R,frames:R,framesBurst:R,bytes:R,bytesBurst:R,
calls:R,callsBurst:R,pingMillis:R,timeoutMillis:R,resumeMillis:R,callsInFlight:R}),S={hello:1,challenge:2,auth:3,welcome:4,
reject:5,ping:6,pong:7,bye:8,load:10,loaded:11,activate:12,names:19,snapBegin:20,snapPart:21,snapEnd:22,delta:23,spawn:24,
despawn:25,owner:26,resync:27,check:28,rpc:30,result:31,relayed:32},Dn={[S.hello]:H({minVersion:R,maxVersion:R,nonce:pt(
16),project:pt(32)}),[S.challenge]:H({version:R,nonce:pt(16),project:pt(32),need:Ot,salt:Ae(32),iterations:R}),[S.auth]:H(
{build:Xe,session:Xe,name:Xe,kind:Ot,spectator:ht,userData:Ae(4096),proof:Ae(32),resume:Ae(16),loaded:R}),[S.welcome]:H(
{id:R,session:Xe,token:pt(16),role:Ot,resumed:ht,proof:Ae(32),hostMicros:R,tickHz:R,limits:tr}),[S.reject]:H({code:Nn,text:Kt,
retryAfterMillis:R}),[S.ping]:H({seq:R,t0:R}),[S.pong]:H({seq:R,t0:R,t1:R,t2:R}),[S.bye]:H({code:Nn,text:Kt}),[S.load]:H(
{transition:R,uuid:Xe,name:Xe,seamless:ht}),[S.loaded]:H({transition:R,ok:ht,text:Kt}),[S.activate]:H({transition:R}),[S.
names]:H({base:R,names:Rt(Cn,We(128))},e=>e.base+e.names.length<=Cn),[S.snapBegin]:H({seq:R,size:R},e=>e.size<=Qo),[S.snapPart]:{
read:e=>({data:e.readRaw($t(e.length-e.position,16384)).slice()}),write:(e,t)=>e.writeRaw(t.data)},[S.snapEnd]:H({crc:Mn}),
[S.delta]:H({prev:R,seq:R,changes:Rt(65536,H({target:Zt,fields:Qt}))}),[S.spawn]:H({entity:vn},e=>e.entity.target%4===F),
[S.despawn]:H({target:Zt},e=>e.target!==It),[S.owner]:H({object:R,owner:R}),[S.resync]:H({seq:R}),[S.check]:H({seq:R,crc:Mn}),
[S.rpc]:H({call:R,object:R,name:Pn,args:Ln}),[S.result]:H({call:R,status:Ot,value:Ae(65536)}),[S.relayed]:H({from:R,object:R,
name:Pn,args:Ln})};function $t(e,t){if(e>t)throw new $(`longer than ${t}`);return e}function Je(e,t){let n=Ge();Dn[e].write(
n,t);let o=Ge();return o.writeU8(e),o.writeU8(0),o.writeBytes(n),o.toUint8Array()}function Vn(e){let t=ut(e),n=[];do{let o=t.
readU8(),r=t.readU8();if(r&~Un)throw new $(`frame ${o} has unknown flags`);let d=t.readRaw(t.readVarU()),p=Dn[o];if(p)n.
push({type:o,weight:d.length,...p.read(ut(d))});else if(!(r&Un))throw new $(`unknown frame ${o}`)}while(t.position<t.length);
return n}var zn=Rt(65536,vn);function Fn(e){return zn.read(ut(e))}function Gn(e){let t=Ge();return zn.write(t,e),t._bytes.
subarray(0,t._length)}function qn(e,{driver:t,log:n,origin:o}){let r=o.replace(/^http/,"ws"),d=0,p={error:(i,...s)=>n.error("session",i,...s),
note:i=>n.note("session",i),debug:i=>n.debug("session",i)},l=({host:i,port:s,secure:a})=>`${a?"wss":"ws"}://${i}:${s}${Bn}`;
return{connect(i,{projectId:s}){let a=l(i);if(!o)return tn(t,a,en);let f=`u=${Et(a)}&project=${Et(s)}&n=${++d}`;return tn(
t,`${r}/__conch/session/join?${f}`,en)},now:xn,wall:qt,random:Tn,setTimeout:(i,s)=>An(i,s),clearTimeout:i=>bn(i),storage:or(
e),log:p,kind:o?"launcher":"browser",onWake(i){let{document:s}=e,a=()=>{s.visibilityState==="visible"&&i()};return s&&ze(
s,"visibilitychange",a),ze(e,"pageshow",i),ze(e,"online",i),()=>{s&&Fe(s,"visibilitychange",a),Fe(e,"pageshow",i),Fe(e,"\
online",i)}},host:o?{start:i=>nr(`${o}/__conch/session/host`,i),link:i=>tn(t,`${r}/__conch/session/link?host=${Et(i)}`,void 0)}:
null}}function tn(e,t,n){let o=e.open(t,n),r={onopen:null,onmessage:null,onclose:null,get bufferedAmount(){return e.bufferedAmount(
o)},send(d){e.readyState(o)===1&&e.send(o,d)},close(d,p){e.readyState(o)<2&&e.close(o,d,p)}};return e.listen(o,"open",()=>{
if(n!==void 0&&e.protocol(o)!==n)return e.close(o,4002,"another protocol");r.onopen&&r.onopen()}),e.listen(o,"message",d=>{
r.onmessage&&r.onmessage(e.data(d))}),e.listen(o,"close",d=>{r.onclose&&r.onclose(e.code(d),e.reason(d))}),r}function nr(e,t){
let n={ok:!1,error:"the launcher did not answer",port:0,joinCode:"",dedicated:!1,maxArgs:0,hostMicros:0,link:""};try{let o=At(
yn,[]);return o.open("POST",e,!1),o.setRequestHeader("Content-Type","application/json"),o.send(De.stringify(t)),O.assign(
n,De.parse(o.responseText))}catch{return n}}function or(e){try{return e.sessionStorage||null}catch{return null}}var rr=/^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:[\]/?#@\\*%]+)(?::([0-9]{1,5}))?$/i,sr=/^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/,
ir=/^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/,ar=/^\d+\.\d+\.\d+\.\d+$/;function cr(e){let t=e.replace(/^\uFEFF/,"").replace(
/#.*/s,"").trim(),n=rr.exec(t);if(!n)return null;let o=n[3]===void 0?0:Number(n[3]);if(n[3]!==void 0&&(o<1||o>65535))return null;
let r;try{r=Yn(new lt(`ws://${n[2]}/`).hostname)}catch{return null}let d=n[1]!==void 0;return!r||d&&Kn(r)?null:{host:r,port:o,
wildcard:d}}function Xn(e){let t=[];for(let n of e){let o=cr(n);o&&t.push(o)}return t}function Wn(e,t){let n=Ct(t),o=lr(
t);return n?e.some(r=>(r.port===0||r.port===o)&&(r.wildcard?!Kn(n)&&n.endsWith("."+r.host):n===r.host)):!1}function Ct(e){
return Yn(e.hostname)}function lr(e){return e.port?Number(e.port):e.protocol==="wss:"||e.protocol==="https:"?443:80}function Jn(e){
let t=Ct(e);return t==="localhost"||t==="127.0.0.1"||t==="::1"}function Yn(e){if(e.startsWith("[")){let n=e.slice(1,-1),
o=ir.exec(n);if(!o)return n;let r=parseInt(o[1],16),d=parseInt(o[2],16);return`${r>>8}.${r&255}.${d>>8}.${d&255}`}let t=e.
endsWith(".")?e.slice(0,-1):e;return t.length<=253&&sr.test(t)?t:""}function Kn(e){return e.includes(":")||ar.test(e)}var nn=24642;function Zn(e){let t=typeof e=="string"?e.trim():"",[,n,o]=/^(?:(ws|wss|http|https):\/\/)?(.+)$/i.exec(t)||
[];if(!o||/[\s\\?#@]/.test(o))return null;let r=!n&&/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(o)?`[${o}]`:o,d=/s$/i.
test(n||"")&&!/^ws$/i.test(n||""),p;try{p=new lt(`${d?"wss":"ws"}://${r}`)}catch{return null}let l=Ct(p),[,i=""]=/^\/j\/([0-9A-Za-z-]{1,16})$/.
exec(p.pathname)||[];if(!l||p.pathname!=="/"&&!i)return null;let s=/:(\d+)(?:\/|$)/.exec(r.replace(/^\[.*\]/,"")),a=s?Number(
s[1]):n?d?443:80:nn;if(a<1||a>65535)return null;let f=l.includes(":")?`[${l}]`:l;return{host:f,port:a,secure:d,text:`${f}\
:${a}`,code:i}}function Qn({host:e,port:t,secure:n},o){let r=new lt(`${n?"wss":"ws"}://${e}:${t}/`);return Jn(r)||/\.local$/.
test(e)||ur(e)||Wn(Xn(o),r)}function ur(e){return/^(?:127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^169\.254\.\d+\.\d+$|^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$/.
test(e)||/^\[f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]):/.test(e)}function Se({log:e,later:t,cancel:n}){let o="pending",r,d=[];function p(i,s){if(o!=="pending")return;o=i,r=s;let a=d;d=[];
for(let f of a)f()}let l=O.freeze({get state(){return o},get result(){return o==="succeeded"?r:void 0},get error(){return o===
"failed"?r:void 0},onDone(i){if(typeof i!="function")throw new M("onDone: a listener is a function");let s=()=>{try{i(l)}catch(a){
e.error("onDone threw:",a)}};return o==="pending"?d.push(s):t(s),l},cancel(){return o!=="pending"||!n||!n()?!1:(t(()=>p(
"failed","cancelled")),!0)},then(i,s){let f=new me((w,g)=>{let m=()=>o==="succeeded"?w(r):g(new te(r));o==="pending"?d.push(
m):m()}).then(i,s);return f.catch(()=>{}),f}});return{op:l,succeed:i=>p("succeeded",i),fail:i=>p("failed",i)}}var fr=65536,dr=1e4;function Ut({log:e,now:t,later:n}){let o=new W,r=new W,d=0;function p(l){let i=[...l.results.values()];
i.some(s=>s===null)||(r.delete(l.id),l.operation.succeed(l.many?O.freeze(i):i[0]))}return{handlers:o,get inFlight(){return r.
size},open(l,i,s){let a=++d,f=Se({log:e,later:n,cancel:()=>s()&&r.delete(a)}),w={id:a,operation:f,many:i,results:new W,at:t(),
sent:!1,lost:!1,takeBack:s};for(let g of l)w.results.set(g,null);return r.set(a,w),w},settle(l,i,s,a,f=t()){let w=r.get(
l);if(!w||w.results.get(i)!==null)return;let g={callId:l,connectionId:i,rttMs:f-w.at,status:s};w.results.set(i,O.freeze(
a&&a.length?{...g,value:pe.from(a)}:g)),p(w)},fail(l,i){let s=r.get(l);r.delete(l),s&&s.operation.fail(i)},failAll(l){for(let i of[
...r.keys()])this.fail(i,l)},linkLost(){for(let l of r.values())l.sent&&(l.lost=!0)},endLost(){for(let l of[...r.values()])
if(l.lost)for(let i of l.results.keys())this.settle(l.id,i,"unknown")},expire(){for(let l of[...r.values()])if(!(t()-l.at<
dr)){l.takeBack()&&this.fail(l.id,"timeout");for(let i of l.results.keys())this.settle(l.id,i,"timeout")}},handle(l,i,s){
let a=Ye(l);if(typeof i!="function")throw new M("onRpc: a handler is a function");let f={run:i,anyone:s};return o.set(a,
f),()=>o.get(a)===f&&o.delete(a)},run(l,i,s,a,f){let w=o.get(l);if(!w)return f("no_handler");let g=b=>{e.error(`the hand\
ler of the call ${l} threw:`,b),f("handler_threw")},m=b=>{let U=ae(b);U.length>fr?f("too_large"):f("ok",U.slice())};try{
let b=le(w.run,void 0,[pe.from(i),s,a]);b&&typeof b.then=="function"?b.then(m).then(void 0,g):m(b)}catch(b){g(b)}}}}function Ye(e){
let t=typeof e=="string"?Y(e).length:0;if(t===0||t>128)throw new M("the name of a call is a text of 1 to 128 bytes");return e}var eo=wr(64),pr=new be(eo.map(e=>no(e**(1/3)))),to=new be(eo.slice(0,8).map(e=>no(e**(1/2)))),hr=gr();function wr(e){let t=[
2];for(let n=3;t.length<e;n+=2)t.every(o=>n%o)&&t.push(n);return t}function no(e){return(e-Ve(e))*2**32}function on(e,t){
for(let a=16;a<64;a++){let f=t[a-15],w=t[a-2];t[a]=t[a-16]+t[a-7]+((f>>>7|f<<25)^(f>>>18|f<<14)^f>>>3)+((w>>>17|w<<15)^(w>>>
19|w<<13)^w>>>10)}let[n,o,r,d,p,l,i,s]=e;for(let a=0;a<64;a++){let f=s+((p>>>6|p<<26)^(p>>>11|p<<21)^(p>>>25|p<<7))+(p&l^
~p&i)+pr[a]+t[a]|0,w=((n>>>2|n<<30)^(n>>>13|n<<19)^(n>>>22|n<<10))+(n&o^n&r^o&r)|0;s=i,i=l,l=p,p=d+f|0,d=r,r=o,o=n,n=f+w|
0}e[0]+=n,e[1]+=o,e[2]+=r,e[3]+=d,e[4]+=p,e[5]+=l,e[6]+=i,e[7]+=s}function Mt(e,t,n){let o=0;for(let s of t)o+=s.length;
let r=new P(o+9+63&-64),d=0;for(let s of t)r.set(s,d),d+=s.length;r[d]=128;let p=new fe(r.buffer);p.setUint32(r.length-8,
(n+o)/2**29),p.setUint32(r.length-4,(n+o)*8);let l=e.slice(),i=new be(64);for(let s=0;s<r.length;s+=64){for(let a=0;a<16;a++)
i[a]=p.getUint32(s+a*4);on(l,i)}return l}function jt(e){let t=new P(32),n=new fe(t.buffer);return e.forEach((o,r)=>n.setUint32(
r*4,o)),t}var oo=e=>e.map(t=>typeof t=="string"?Y(t):t);function Ke(...e){return jt(Mt(to,oo(e),0))}function ro(e){let t=e.
length>64?Ke(e):e;return[54,92].map(n=>{let o=new be(64);for(let d=0;d<64;d++)o[d>>2]|=((t[d]||0)^n)<<24-d%4*8;let r=to.
slice();return on(r,o),r})}function rn(e,...t){let[n,o]=ro(e);return jt(Mt(o,[jt(Mt(n,oo(t),64))],64))}function so(e,t,n,o){
let[r,d]=ro(Y(e)),p=new be(64),l=new be(8),i=f=>{p.set(l),p.fill(0,8,16),p[8]=2147483648,p[15]=768,l.set(f),on(l,p)};l.set(
Mt(r,[t,new P([0,0,0,1])],64)),i(d);let s=l.slice(),a=n-1;return new me(f=>{let w=()=>{for(let g=1e4;g>0&&a>0;g--,a--){i(
r),i(d);for(let m=0;m<8;m++)s[m]^=l[m]}a>0?o(w):f(jt(s))};w()})}function gr(){let e=new be(256);for(let t=0;t<256;t++){let n=t;
for(let o=0;o<8;o++)n=n&1?n>>>1^2197175160:n>>>1;e[t]=n}return e}function Pt(e){let t=-1;for(let n=0;n<e.length;n++)t=hr[(t^
e[n])&255]^t>>>8;return~t>>>0}var sn=1,mr=1e6;function ao(e,{address:t,projectId:n,resuming:o,secret:r,auth:d,onWelcome:p,onFrame:l,onEnd:i}){let s=e.
random(16),a="dial",f=null,w=e.connect(t,{projectId:n});w.onopen=()=>{a==="dial"&&(a="hello",j(S.hello,{minVersion:sn,maxVersion:sn,
nonce:s,project:Ke("conch.session.1 client",s,n)}))},w.onmessage=x=>{if(a!=="ended")try{if(typeof x=="string")throw new $(
"a text message");if(x.byteLength>Hn)throw new $("message too long");for(let L of Vn(new P(x)))g(L)}catch(L){e.log.debug(
`the host broke the protocol: ${L}`),C(a==="live"?"protocol_error":"not_a_host")}},w.onclose=(x,L)=>E({code:x,reason:L,text:""});
function g(x){if(a!=="ended")if(a==="live")x.type===S.bye?E({code:0,bye:x.code,text:x.text}):l(x);else if(x.type===S.reject)
E({code:4003,reject:x.code,text:x.text,retryAfter:x.retryAfterMillis});else if(x.type===S.challenge&&a==="hello")m(x);else if(x.
type===S.welcome&&a==="auth")U(x);else throw new $(`frame ${x.type} while joining`)}function m({version:x,nonce:L,project:v,
need:G,salt:ne,iterations:q}){if(!io(v,Ke("conch.session.1 host",s,L,n)))return C("not_a_host");if(x!==sn)return C("prot\
ocol_version");if(G>2||q>mr)return C("not_a_host");if(a="auth",G===0||o)return b(new P(0));let Q=r(G);if(Q===null)return C(
G===1?"bad_password":"bad_code");so(Q,ne,q,K=>e.setTimeout(K,0)).then(K=>{a==="auth"&&(f=rn(K,"conch.session.1 welcome",
s,L,n),b(rn(K,"conch.session.1 join",s,L,n)))})}function b(x){j(S.auth,{...d(),proof:x})}function U(x){if(f&&!io(x.proof,
f)||x.resumed!==o)return C("not_a_host");a="live",p(x)}function C(x){a==="live"&&j(S.bye,{code:"protocol_error",text:""}),
E({code:0,fault:x,text:""},4002,x)}function E(x,L=4e3,v="left"){if(a==="ended")return;let G=a;a="ended",w.close(L,v),i({
stage:G,...x})}function j(x,L){N(Je(x,L))}function N(x){a!=="ended"&&w.send(x)}return{send:j,write:N,get live(){return a===
"live"},get opened(){return a!=="dial"},close(x,L){a==="live"&&j(S.bye,{code:L,text:""}),a!=="ended"&&w.close(x,L),a="en\
ded"}}}function io(e,t){return e.length===t.length&&e.every((n,o)=>n===t[o])}function Lt({ids:e,gameState:t,playerState:n,playerStates:o,objects:r,onRpc:d,change:p}){let l=co(o),i=co(r);function s(){
if(!p)throw new te("only the session host spawns, despawns and gives objects away");return p}return O.seal({get sessionId(){
return e().sessionId},get projectId(){return e().projectId},get buildHash(){return e().buildHash},get gameState(){return t()||
null},get playerState(){return n()||null},get playerStates(){return l},get objects(){return i},spawn:(a,f,w)=>s().spawn(
a,f,w),despawn:a=>s().despawn(a),setOwner:(a,f)=>s().setOwner(a,f),onRpc:(a,f,w)=>d(a,f,!!(w&&w.anyone)),sceneLoader:void 0})}
var yr=["get","has","keys","values","entries"];function co(e){let t={get size(){return e.size},forEach:n=>e.forEach((o,r)=>n(
o,r,t)),[Symbol.iterator]:()=>e[Symbol.iterator]()};for(let n of yr)t[n]=o=>e[n](o);return O.freeze(t)}var br=16,lo=4,uo=2,fo=250,po=2e3,ho=.05;function wo(){let e=[],t=!1,n=0,o=0,r=0,d=ho,p=0;function l(s){let a=J(0,(s-o)*
d);return n+ee(J(r-n,-a),a)}function i(s,a){n=t?l(a):s,t=!0,o=a,d=ho,r=s;let f=s-n;return _n(f)<uo?r=n:f>fo||f<-po?n=s:f<
-fo&&(d=.5),f>=-po?!1:(p=0,!0)}return{get synced(){return t},start(s,a){t||(r=n=s-a,o=a,t=!0)},sample(s,a,f,w){let g=w-s-
(f-a);if(s>w||a>f||g<0||e.length>=lo&&g>3*an(e.map(b=>b.rtt))+uo)return!1;e.push({offset:(a-s+(f-w))/2,rtt:g}),e.length>
br&&e.shift();let m=[...e].sort((b,U)=>b.rtt-U.rtt).slice(0,lo);return i(an(m.map(b=>b.offset)),w)},reset(){e=[]},get rtt(){
return e.length?an(e.map(s=>s.rtt)):0},now(s){return p=J(p,s+l(s)),p}}}function an(e){let t=[...e].sort((o,r)=>o-r),n=t.
length>>1;return t.length%2?t[n]:(t[n-1]+t[n])/2}var _r=8,go=50,Sr=5e3,mo=3e3;function Nt(e,{ping:t,silent:n}){let o=wo(),r=new W,d=0,p=0,l=0,i=0,s=2e3,a=1e4,f=!1,w=0,g=0;
function m(){let E=Ve(e.now()*1e3);r.size>64&&r.clear(),r.set(++d,E),t(d,E)}function b(){e.clearTimeout(g);let E=_r,j=()=>{
f&&m(),--E>0&&(g=e.setTimeout(j,go))};j()}function U(){p=ee(p,e.now()-a+mo),r.clear(),o.reset(),b(),C(mo+go)}function C(E){
e.clearTimeout(w),l=e.now(),i=e.wall();let j=E;w=e.setTimeout(()=>{if(J(e.now()-l,e.wall()-i)>j+Sr)return U();if(e.now()-
p>a)return n();m(),C(s)},E)}return{clock:o,start({pingMillis:E,timeoutMillis:j},N){s=J(250,ee(E,6e4)),a=J(2e3,ee(j,6e5)),
f=!0,p=e.now(),o.start(N/1e3,p),r.clear(),o.reset(),b(),C(s)},stop(){f=!1,e.clearTimeout(w),e.clearTimeout(g)},hear(){p=
e.now()},pong({seq:E,t0:j,t1:N,t2:x}){let L=r.get(E);L===void 0||L!==j||(r.delete(E),o.sample(L/1e3,N/1e3,x/1e3,e.now())&&
e.log.note("the clock of the session went back"))},wake(){f&&U()}}}var xr=.95,yo=.9;function bo(e,t){let n=[],o=null,r=0,d=0;function p(){let i=e.now();for(let s of o||[])s.have=ee(s.burst,
s.have+s.rate*(i-r)/1e3);r=i}function l(){if(e.clearTimeout(d),!!o)for(p();n.length>0;){let{frame:i,isCall:s,sent:a}=n[0],
f=[1,i.length,s?1:0],w=0;if(o.forEach((g,m)=>{w=J(w,(ee(f[m],g.burst)-g.have)/g.rate)}),w>0){d=e.setTimeout(l,ee(w,1)*1e3+
1);return}o.forEach((g,m)=>{g.have-=f[m]}),n.shift(),t(i),a&&a()}}return{send(i){n.push(i),l()},cancel(i){let s=n.length;
return n=n.filter(a=>a!==i),n.length<s},start(i){let s=(a,f)=>({rate:J(a*xr,.001),burst:J(f*yo,1),have:J(f*yo,1)});o=[s(
i.frames,i.framesBurst),s(i.bytes,i.bytesBurst),s(i.calls,i.callsBurst)],r=e.now(),l()},pause(){e.clearTimeout(d),o=null,
n=n.filter(i=>i.isCall)},stop(){this.pause(),n=[]}}}var re=It,ke=e=>e*4+Ee,Ze=e=>e*4+F,ue=e=>(e-e%4)/4;function Qe(e,t,n,o,r){let d="",p={target:t,typeName:n,owner:o,persistent:r,
fields:new W,view:{}},l={get uuid(){return d||(d=Er(e.sessionId,t))},get typeName(){return p.typeName},get:i=>Tr(p,`${i}`),
set:(i,s)=>Ar(e,p,`${i}`,s),names:()=>[...p.fields.keys()]};return t%4===F&&O.defineProperties(l,{netObjectId:{value:ue(
t),enumerable:!0},owner:{get:()=>p.owner,enumerable:!0},persistent:{get:()=>p.persistent,enumerable:!0},isMine:{get:()=>p.
owner===e.localConnectionId,enumerable:!0}}),p.view=O.freeze(l),p}function So(e,t){for(let n=t.length;n>0;n=t.lastIndexOf(
".",n-1)){let o=t.slice(0,n),r=e.fields.get(o);if(r)return{name:o,value:r.value,rest:n<t.length?t.slice(n+1).split("."):
[]}}return null}var xo=e=>typeof e=="object"&&e!==null&&!ct.isView(e);function Tr(e,t){let n=So(e,t);if(!n)return;let{value:o}=n;
for(let r of n.rest){if(!xo(o)||!O.prototype.hasOwnProperty.call(o,r))return;o=o[r]}return o}function Ar(e,t,n,o){if(!e.
writable)throw new te("only the session host changes state, while the session is active");let r=So(t,n);if(!r||r.rest.length===
0)return _o(e,t,n,o);_o(e,t,r.name,To(r.value,r.rest,o))}function To(e,[t,...n],o){if(!xo(e))throw new M(`state: nothing\
 can be set at ${t}, its parent holds no list or object`);let r=Array.isArray(e);if(r&&!(ie(t)<=e.length))throw new M(`s\
tate: ${t} is no position of the list`);let d=r?[...e]:{...e},p=O.prototype.hasOwnProperty.call(d,t);return n.length>0&&
(o=To(p?d[t]:{},n,o)),o!==void 0?O.defineProperty(d,t,{value:o,enumerable:!0,writable:!0,configurable:!0}):r?d.splice(ie(
t),1):delete d[t],d}function _o(e,t,n,o){let r=Y(n).length;if(r===0||r>128)throw new M("state: a name has 1 to 128 bytes");
if(o===void 0){t.fields.delete(n)&&e.changed(t,n,null);return}let d=dt(o),p=ft(d);t.fields.set(n,{key:0,raw:d,value:p}),
e.changed(t,n,d)}function Er(e,t){return cn(Ke(`${e}
${t}`),128)}function cn(e,t){let n=e.slice(0,16);return n[6]=n[6]&15|t,n[8]=n[8]&63|128,ln(n).replace(/^(.{8})(.{4})(.{4})(.{4})/,
"$1-$2-$3-$4-")}function ln(e){let t="";for(let n of e)t+=(n+256).toString(16).slice(1);return t}function Eo(e,t){let n=new W,o=new W,r=new W,d=new ye,p=-1;function l(f,w,g,m){let b=Qe(e,f,w,g,m);return n.set(f,b),f%4===
F&&o.set(ue(f),b.view),f%4===Ee&&r.set(ue(f),b.view),b}function i(f){n.delete(f)&&(d.delete(f),f%4===Ee&&r.delete(ue(f)),
f%4===F&&o.delete(ue(f))&&t.removed(ue(f)))}function s(f,w){for(let{name:g,key:m,removed:b,raw:U,value:C}of w)b?f.fields.
delete(g):f.fields.set(g,{key:m,raw:U,value:C}),d.add(f.target)}function a(f){let{target:w,class:g,owner:m,persistent:b,
fields:U}=f,C=n.get(w);C&&C.typeName!==Ao(w,g)&&(i(w),C=void 0);let E=!C;C||(C=l(w,Ao(w,g),m,b));let j=C.fields;C.fields=
new W;for(let{name:N,key:x,raw:L,value:v}of U)C.fields.set(N,{key:x,raw:L,value:v});(E||C.owner!==m||!kr(j,C.fields))&&d.
add(w),C.owner=m,C.persistent=b,!(!E||w%4!==F)&&(d.delete(w),t.appeared(ue(w)))}return l(re,"GameState",0,!1),{objects:o,
players:r,get seq(){return p},get gameState(){return n.get(re)?.view},playerState:f=>n.get(ke(f))?.view,snapshot(f,w){let g=new ye(
[re]);a({target:re,class:"",owner:0,persistent:!1,fields:[],...w.find(m=>m.target===re)});for(let{target:m}of w)g.add(m);
for(let m of[...n.keys()])g.has(m)||i(m);for(let m of w)m.target!==re&&a(m);p=f},delta({prev:f,seq:w,changes:g}){if(f!==
p)return!1;for(let{target:m,fields:b}of g){let U=n.get(m)||(m%4===Ee?l(m,"PlayerState",0,!1):void 0);U&&s(U,b)}return p=
w,!0},spawn(f){i(f.target),a(f)},despawn:i,setOwner(f,w){let g=n.get(f);!g||g.owner===w||(g.owner=w,d.add(f))},dropObjects(f){
for(let w of[...n.values()])w.target%4===F&&!(f&&w.persistent)&&i(w.target)},checksum(){let f=[...n.values()].sort((w,g)=>w.
target-g.target).map(w=>({target:w.target,class:w.typeName,owner:w.owner,persistent:w.persistent,fields:[...w.fields.values()].
sort((g,m)=>g.key-m.key).map(({key:g,raw:m})=>({name:g,removed:!1,raw:m,value:null}))}));return Pt(Gn(f))},takeChanged(){
let f=[...d];return d.clear(),f}}}function Ao(e,t){return e%4===F?t:e%4===Ee?"PlayerState":"GameState"}function kr(e,t){
if(e.size!==t.size)return!1;for(let[n,{raw:o}]of e){let r=t.get(n);if(!r||r.raw.length!==o.length||!o.every((d,p)=>d===r.
raw[p]))return!1}return!0}var Or=["protocol_version","wrong_project","wrong_session","build_mismatch","bad_password","bad_code","full","banned","a\
pproval_timeout","approval_error","host_stopping","rate_limited","bad_token","timeout","protocol_error"];function Oe(e){
return e.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,"").trim()}function Re(e,t){let n=Y(e);if(n.length<=t)return e;let o=t;for(;o>
0&&(n[o]&192)===128;)o--;return _e(n.subarray(0,o))}function Ht(e){return[...Oe(`${e}`)].slice(0,32).join("")}function Bt(e,t){
let n=Oe(t);return n?`${e}: ${n}`:e}function Oo({stage:e,code:t,bye:n,reject:o,fault:r,text:d}){return o==="build_mismat\
ch"?Bt(o,d):o?Or.includes(o)?o:Bt("refused",d):r||(n==="host_stopped"||t===4001?"host_stopping":n==="kicked"?Bt("refused",
d):e==="hello"?"not_a_host":"unreachable")}var ko={kicked:"kicked",4004:"kicked",host_stopped:"host_stopped",host_stopping:"\
host_stopped",left:"host_stopped",local_stop:"host_stopped",4e3:"host_stopped",4001:"host_stopped",replaced:"replaced",4009:"\
replaced",rate_limited:"rate_limited",4008:"rate_limited",protocol_error:"protocol_error",4002:"protocol_error",1002:"pr\
otocol_error",1009:"protocol_error",scene_load_failed:"scene_load_failed",scene_load_timeout:"scene_load_timeout",4011:"\
scene_load_failed"};function un(e,t){let n=O.prototype.hasOwnProperty.call(ko,e)?ko[e]:"connection_lost";return n==="kic\
ked"||n==="scene_load_failed"?Bt(n,t):n}function vt(e){return e.toUpperCase().replace(/[\s-]/g,"").replace(/O/g,"0").replace(
/[I1]/g,"L").replace(/U/g,"V")}var fn=({projectId:e},t)=>`conch.session ${e} ${t.text}`;function Ro(e,t,n){try{let{token:o,session:r}=De.parse(e.storage?.
getItem(fn(t,n))||"");return!(!t.sessionId||t.sessionId===r)||!/^[0-9a-f]{32}$/.test(o)?null:{token:new P(16).map((p,l)=>parseInt(
o.slice(l*2,l*2+2),16))}}catch{return null}}function Io(e,t,n,{token:o,session:r}){try{e.storage?.setItem(fn(t,n),De.stringify(
{token:ln(o),session:r}))}catch{}return{token:o}}function dn(e,t,n){try{e.storage?.removeItem(fn(t,n))}catch{}return null}function Rr(e){return cn(e.random(16),64)}function Ie(e,{uuid:t,name:n,tid:o},r){let d=r&&typeof r.instanceId=="string"?
r.instanceId:Rr(e);return O.freeze({...r,instanceId:d,scene:O.freeze({uuid:t,name:n}),transitionId:o})}function $o(e){if(!e||
typeof e.uuid!="string"||e.uuid===""||e.uuid.length>36)throw new M("hostLoadScene: a scene has a uuid and a name");return{
uuid:e.uuid,name:`${e.name===void 0?"":e.name}`}}var Ir=5e3,Co=[0,250,500,1e3,2e3],$r=[1001,1005,1006,4005,4010],Cr=["launcher","browser"];function Uo(e,{mail:t,emit:n,finished:o},r,d){
let{projectId:p}=r,l=Ro(e,r,d),i=0,s="",a="player",f={},w=!1,g=!1,m=!1,b=!1,U=null,C=0,E=!1,j=0,N=0,x=0,L=[],v=null,G=!1,
ne=!0,q=Nt(e,{ping:(c,y)=>U?.send(S.ping,{seq:c,t0:y}),silent:()=>{E=!0,U?.close(4005,"timeout"),Ne()}}),Q=bo(e,c=>U?.write(
c)),K=Ut({log:e.log,now:e.now,later:c=>t.post(c,"always")}),ot={get sessionId(){return s},get localConnectionId(){return i},
writable:!1,changed(){}},oe=new ye,D=Eo(ot,{appeared(c){g&&mt()?X("onClientObjectReplicated",c):oe.add(c)},removed(c){oe.
delete(c)||X("onClientObjectRemoved",c)}}),Z=Lt({ids:()=>({sessionId:s,projectId:p,buildHash:r.buildHash}),gameState:()=>D.
gameState,playerState:()=>D.playerState(i),playerStates:D.players,objects:D.objects,onRpc:K.handle,change:null}),B={tid:0,
name:"",uuid:"",loaded:null,reported:!1,failure:"",asked:!1,active:!1},$e=null,gt=0;function mt(){return B.tid===0||B.loaded!==
null}function X(c,...y){b||n(c,...y)}function Ce(){g=!0,X("onSessionStarted"),D.takeChanged(),X("onClientGameStateReplic\
ated",D.gameState),D.playerState(i)&&X("onClientPlayerStateReplicated",D.playerState(i)),rt()}function rt(){if(!g||!mt())
return;let c=[...oe];oe.clear();for(let y of c)X("onClientObjectReplicated",y)}function Ue({transition:c,uuid:y,name:T,seamless:k}){
if(c<B.tid)return;if(c===B.tid)return B.reported?st():void 0;D.dropObjects(k),B={tid:c,name:T,uuid:y,loaded:null,reported:!1,
failure:"",asked:!1,active:!1};let A=B;X("onClientSceneLoadRequested",y,T,k,c);let{sceneLoader:I}=Z;typeof I!="function"||
b||new me(V=>V(I({uuid:y,name:T},k))).then(V=>xe({...Ie(e,A,V),transitionId:c},!0,""),V=>{e.log.error(`the scene ${T} co\
uld not be loaded:`,V),xe({transitionId:c},!1,V instanceof te?V.message:"the scene could not be loaded")})}function xe(c,y,T){
let k=c&&c.transitionId;B.tid===0&&e.log.note("notifyClientSceneLoaded: the host has not asked for a scene"),!(b||k!==B.
tid||B.reported)&&(B.reported=!0,y?B.loaded=Ie(e,B,c):B.failure=Re(`${T}`||"the scene could not be loaded",512),y&&(gt=k),
st(),y&&B.asked&&t.post(yt))}function st(){let c=Je(S.loaded,{transition:B.tid,ok:B.failure==="",text:B.failure});Q.send(
{frame:c,isCall:!1})}function yt(){B.active||!B.loaded||(B.active=!0,$e=B.loaded,rt(),X("onClientSceneActivate",B.tid))}
function bt({transition:c}){c===B.tid&&(B.asked=!0,yt())}function Me(){ne||!U||(ne=!0,Q.send({frame:Je(S.resync,{seq:J(D.
seq,0)}),isCall:!1}))}function _t({name:c,args:y,from:T,object:k},A){if(k!==0&&!D.objects.has(k))return A("no_object");K.
run(c,y,T,k,A)}function je(c){e.clearTimeout(x),w&&(e.clearTimeout(N),N=e.setTimeout(()=>{U?.close(4005,"timeout"),Te()},
J(1e3,ee(Ir,Be()))));try{U=St(c)}catch(y){w?Te():u("unreachable",y instanceof te?y.message:"")}}function St(c){return ao(
e,{address:d,projectId:p,resuming:c,secret:y=>y===1?r.password===void 0?null:r.password:r.joinCode||vt(d.code)||null,auth:()=>({
build:r.buildHash,session:r.sessionId,name:r.playerName,kind:Cr.indexOf(e.kind),spectator:r.asSpectator,userData:r.userData,
resume:c&&l?l.token:new P(0),loaded:gt}),onWelcome:Pe,onFrame:xt,onEnd:y=>Tt(y,c)})}function Pe(c){if(w&&c.id!==i)throw new $(
"another seat");if(c.id<2)throw new $("a seat that no client has");e.clearTimeout(N),i=c.id,s=c.session,a=c.role===1?"sp\
ectator":"player",f=c.limits,L=[],v=null,G=!1,ne=!0,l=Io(e,r,d,c),Q.start(f),q.start(f,c.hostMicros),w?(j=0,E=!1,t.post(
()=>{K.endLost(),X("onClientConnectionResumed")})):N=e.setTimeout(()=>u("timeout","the host sent no state"),r.timeoutMs)}
function xt(c){if(q.hear(),t.flooded)throw new $("more than anybody can read");switch(c.type){case S.ping:{let y=Ve(e.now()*
1e3);return U?.send(S.pong,{seq:c.seq,t0:c.t0,t1:y,t2:y})}case S.pong:return q.pong(c);case S.load:return t.post(()=>Ue(
c));case S.activate:return t.post(()=>bt(c));case S.result:{let y=e.now();return t.post(()=>K.settle(c.call,1,wt[c.status]||
"unknown",c.value,y),"keep",c.weight)}case S.rpc:return it(c);case S.relayed:{t.full||t.post(()=>_t(c,()=>{}),"call",c.weight);
return}default:return at(c)}}function it(c){let y=U,T=(k,A=new P(0))=>{c.call===0||!y||!y.live||y!==U||y.send(S.result,{
call:c.call,status:wt.indexOf(k),value:A})};if(t.full)return T("queue_full");t.post(()=>_t({...c,from:1},T),"call",c.weight)}
function at(c){switch(c.type){case S.names:if(c.base!==L.length)throw new $("a gap in the table of names");L.push(...c.names);
return;case S.snapBegin:v={seq:c.seq,size:c.size,got:0,parts:[]};return;case S.snapPart:if(!v||(v.got+=c.data.length)>v.
size)throw new $("a part too much");v.parts.push(c.data);return;case S.snapEnd:return zt(c.crc);case S.delta:{let y=c.changes.
map(A=>({target:A.target,fields:Le(A.fields)})),{prev:T,seq:k}=c;return he(c.weight,()=>{D.delta({prev:T,seq:k,changes:y})||
Me()})}case S.spawn:{let y={...c.entity,fields:Le(c.entity.fields)};return he(c.weight,()=>D.spawn(y))}case S.despawn:return he(
c.weight,()=>D.despawn(c.target));case S.owner:return he(c.weight,()=>D.setOwner(c.object*4+F,c.owner));case S.check:return he(
c.weight,()=>{!ne&&(D.seq!==c.seq||D.checksum()!==c.crc)&&Me()});default:throw new $(`a host does not send frame ${c.type}`)}}
function Le(c){return c.map(({name:y,removed:T,raw:k,value:A})=>{let I=L[y];if(I===void 0)throw new $("a name that is no\
t in the table");return{name:I,key:y,removed:T,raw:k,value:A}})}function zt(c){if(!v)throw new $("the end of no snapshot");
let{seq:y,size:T,got:k,parts:A}=v;v=null;let I=new P(T),V=0;for(let z of A)I.set(z,V),V+=z.length;if(k!==T||Pt(I)!==c)throw new $(
"a damaged snapshot");let se=Fn(I).map(z=>({...z,fields:Le(z.fields)}));he(T,()=>{ne=!1,D.snapshot(y,se),g?rt():Ce()}),!(w||
G)&&(w=!0,e.clearTimeout(N))}function he(c,y){t.full&&!G&&(t.dropState(),G=!0),G||t.post(y,"state",c)}function Tt(c,y){if(m)
return;let{code:T,bye:k,reject:A,fault:I}=c;if(!w)return y&&A==="bad_token"?(l=dn(e,r,d),je(!1)):u(Oo(c),c.text);if(A)return A===
"bad_token"||A==="host_stopping"?u(un(A,"")):Te();if(!(I?c.stage!=="live":k?k==="timeout"||k==="slow_consumer":$r.includes(
T)))return u(un(k||I||T,c.text));c.stage==="live"?Ne():Te()}function Ne(){if(q.stop(),Q.pause(),!w)return u("unreachable");
U=null,C=e.now(),K.linkLost(),t.post(()=>X("onClientConnectionLost")),j=0,Te()}function Be(){return C+J(1e3,ee(f.resumeMillis,
6e5))-e.now()}function Te(){U=null,e.clearTimeout(N),e.clearTimeout(x);let c=Be();if(c<=0)return u(E?"host_not_respondin\
g":"connection_lost");let y=Co[ee(j++,Co.length-1)];x=e.setTimeout(()=>je(!0),ee(y,c))}let He=e.onWake(()=>{m||(U&&U.live?
q.wake():w&&!U&&(j=0,je(!0)))});function u(c,y=""){m||(m=!0,He(),q.stop(),Q.stop(),e.clearTimeout(N),e.clearTimeout(x),U?.
close(4e3,"left"),U=null,w&&dn(e,r,d),t.post(()=>{b=!0,g=!1,K.failAll(c),o(y?`${c}: ${Oe(y)}`:c),n(w?"onSessionStopped":
"onClientJoinFailed",c)},"always"))}return N=e.setTimeout(()=>u("timeout"),r.timeoutMs),je(l!==null),{mode:"client",isAuthority:!1,
hostPort:0,peers:[],get isSessionActive(){return g&&!b},get localConnectionId(){return g&&!b?i:0},get localRole(){return g&&
!b?a:"none"},get sessionId(){return g&&!b?s:""},get activeScene(){return $e},get context(){return g&&!b?Z:null},serverTime:()=>g&&
q.clock.synced?q.clock.now(e.now()):e.wall(),stop(){t.discard(),u(w?"local_stop":"cancelled"),g=!1,b=!0},update(){if(!b){
K.expire();for(let c of D.takeChanged())c===re?X("onClientGameStateReplicated",D.gameState):c===ke(i)?X("onClientPlayerS\
tateReplicated",D.playerState(i)):c%4===F&&!oe.has(ue(c))&&X("onClientObjectReplicated",ue(c));!G||!U||(G=!1,ne=!1,Me())}},
notifyClientSceneLoaded:xe,sendRpcToHost(c,y,T){let k={name:Ye(c),object:y,args:ae(T)};if(m||!g)return h("not_connected");
if(k.args.length>f.args)return _("too_large");if(K.inFlight>=f.callsInFlight)return _("queue_full");let A={frame:k.args,
isCall:!0,sent:()=>{I.sent=!0}},I=K.open([1],!1,()=>Q.cancel(A));return A.frame=Je(S.rpc,{call:I.id,...k}),Q.send(A),I.operation.
op}};function h(c){let y=Se({log:e.log,later:T=>t.post(T,"always")});return t.post(()=>y.fail(c),"always"),y.op}function _(c){
let y=K.open([1],!1,()=>!1);return t.post(()=>K.settle(y.id,1,c),"always"),y.operation.op}}function Mo(e,t){let n=new W;function o(r,d){if(typeof r!="function")throw new M(`${e}: a listener is a function`);return n.
has(r)||n.set(r,d),()=>{n.delete(r)}}return{event:O.freeze({add:r=>o(r,!1),once:r=>o(r,!0),remove:r=>n.delete(r),clear:()=>n.
clear(),get count(){return n.size}}),emit(...r){for(let[d,p]of[...n])if(n.has(d)){p&&n.delete(d);try{d(...r)}catch(l){t.
error(`${e}: a listener threw:`,l)}}}}}var Ur=O.freeze({isValid:!1,connectionId:0,state:"gone",role:"player",playerName:"",clientKind:"browser",joinedAtEpochMs:0,
rttMs:0,jitterMs:0,transitionId:0,remoteAddress:"",userData:new P(0),stats:O.freeze({bytesIn:0,bytesOut:0,queuedBytes:0,
droppedRpcs:0})}),jo=()=>Ur;function et(e){return O.freeze({isValid:!0,connectionId:e.id,state:e.state,role:e.role,playerName:Ht(
e.name),clientKind:e.kind,joinedAtEpochMs:e.joinedAt,rttMs:e.rtt,jitterMs:e.jitter,transitionId:e.transition,remoteAddress:e.
address,userData:e.userData,stats:O.freeze({bytesIn:e.bytesIn,bytesOut:e.bytesOut,queuedBytes:e.queued,droppedRpcs:e.dropped})})}var ce=1,Po={size:32<<20,nesting:20,elements:1<<17},Mr=500,jr=2e3;function No(e,{mail:t,emit:n,finished:o,approval:r},d,p,l){
let{sessionId:i}=d,s=!0,a=!1,f=!1,w=e.now(),g=0,m=new W,b=new W,U=new W,C=new ye,E=new W,j=null,N=new W,x=[],L=0,v={tid:0,
uuid:"",name:"",instance:null},G=null,ne=null,q=Ut({log:e.log,now:e.now,later:u=>t.post(u,"always")}),Q=Nt(e,{ping:(u,h)=>Z(
"ping",u,h),silent(){}});Q.clock.start(p.hostMicros/1e3,e.now());let K=e.onWake(()=>{Q.wake(),xe()}),ot={sessionId:i,localConnectionId:ce,
get writable(){return s},changed:(u,h,_)=>{m.get(u.target)===u&&Z("set",u.target,h,_)}},oe=[],D=!1;l.onopen=()=>{D=!0,Q.
start({pingMillis:1e4,timeoutMillis:6e5},p.hostMicros),$e()},l.onclose=()=>He(a?"local_stop":"connection_lost"),l.onmessage=
u=>{let h;try{h=ft(new P(u),Po)}catch(_){return e.log.error("the launcher sent something else than events:",_),He("proto\
col_error")}for(let[_,...c]of h)gt(_,c);e.now()-w>Mr&&xe()};function Z(...u){B(u)}function B(u){!f&&oe.push(u)===1&&me.resolve().
then($e)}function $e(){if(!D||f||oe.length===0)return;let u=oe;oe=[],l.send(dt(u,Po))}function gt(u,h){let[_,...c]=h;if(!(a&&
u!=="stopped"))switch(u){case"pong":return Q.pong({seq:h[0],t0:h[1],t1:h[2],t2:h[3]});case"approve":{x.push(()=>yt(_,c[0]));
return}case"forget":return st(_);case"stopped":return He(a?"local_stop":`${_}`);case"call":{let[y,T,k,A,I]=c,V=(se,z=new P(
0))=>{I&&Z("reply",_,se,z)};return t.full?V("queue_full"):t.post(()=>Tt(y,T,k,A,V),"call",A.length)}default:{let y=mt[u];
y&&t.post(()=>y(...h))}}}let mt={state:rt,peers:u=>{for(let h of u)E.has(h.id)&&E.set(h.id,et(h))},connected(u,h){E.set(
u.id,et(u)),Ue(bt(u.id),h),X("onHostPeerConnected",E.get(u.id)),Z("ready",u.id)},disconnected(u,h){j=et({...u,state:"gon\
e"}),E.delete(u.id);for(let _ of[...m.values()])_.target%4===F&&_.owner===u.id&&_t(_);X("onHostPeerDisconnected",u.id,h),
j=null,U.delete(u.id),m.delete(ke(u.id))},dropped:u=>Ce("onHostPeerDropped",u),resumed:u=>Ce("onHostPeerResumed",u),load:zt,
sceneLoaded:u=>Ce("onHostPeerSceneLoadComplete",u),activated(u,h){he(h),Ce("onHostPeerActivatedInScene",u)},complete(u){
he(u),X("onHostSceneTransitionComplete",u)},aborted:(u,h)=>X("onHostTransitionAborted",u,h),result:(u,h,_,c)=>q.settle(u,
h,wt.includes(_)?_:"unknown",c),failed:(u,h)=>q.fail(u,`${h}`)};function X(u,...h){a||n(u,...h)}function Ce(u,h){E.has(h.
id)&&(E.set(h.id,et(h)),X(u,h.id))}function rt(u){for(let[h,_,c,y,T,k]of u.entities)h%4!==F?Ue(h===re?at:bt(h>>2),_):m.has(
h)||Ue(Me(h,c,y,T,k),_);if(u.scene){let[h,_,c]=u.scene;v={tid:h,uuid:_,name:c,instance:null},G=Ie(e,v,null)}for(let h of u.
peers)E.set(h.id,et(h));X("onSessionStarted");for(let{id:h}of u.peers)E.has(h)&&X("onHostPeerConnected",E.get(h))}function Ue(u,h){
for(let[_,c]of h)u.fields.has(_)||u.fields.set(_,{key:0,raw:c,value:ft(c)})}function xe(){let u=x;x=[];for(let h of u)h()}
function st(u){let h=N.get(u);N.delete(u),h&&h.abort()}function yt(u,h){let _=new hn;N.set(u,_);let c=A=>{let I=A!==null&&
typeof A=="object"?A:{approved:A},V=I.playerState?Lo(I.playerState):[],se=I.role==="spectator"||I.role==="player"?I.role:
"",z=Re(`${I.reason||""}`,512);N.delete(u)&&Z("decide",u,I.approved===!0,z,se,V)},y=A=>{e.log.error("connectionApprovalC\
allback threw:",A),N.delete(u)&&Z("decide",u,null,"","",[])},T=r();if(typeof T!="function")return c(!0);let k=O.freeze({
projectId:d.projectId,buildHash:h.build,sessionId:i,playerName:h.name,asSpectator:h.spectator,userData:h.userData,provisionalConnectionId:u,
remoteAddress:h.address,clientKind:h.kind,buildMatches:h.buildMatches,signal:_.signal});try{let A=T(k);A&&typeof A.then==
"function"?A.then(c).then(void 0,y):c(A)}catch(A){y(A)}}function bt(u){let h=ke(u),_=m.get(h)||Qe(ot,h,"PlayerState",0,!1);
return m.set(h,_),U.set(u,_.view),_}function Me(u,h,_,c,y){let T=Qe(ot,u,h,_,c),k=(u-F)/4;return m.set(u,T),b.set(k,T.view),
y&&C.add(k),k>g&&(g=k),T}function _t(u){let h=(u.target-F)/4;if(C.has(h))return it.despawn(h);u.owner=ce,Z("owner",h,ce)}
function je(u){for(let h of[...m.values()])h.target%4===F&&!(u&&h.persistent)&&St(h.target)}function St(u){let h=(u-F)/4;
return C.delete(h),b.delete(h),m.delete(u)}function Pe(){if(!s)throw new te("the session is over")}function xt(u){if(u===
void 0||u===0||u===ce||E.has(u))return u||0;throw new M(`no peer ${u} in the session`)}let it={spawn(u,h,_){Pe();let c=typeof u==
"string"?Y(u).length:0;if(c===0||c>128)throw new M("spawn: the type of an object is a text of 1 to 128 bytes");let{owner:y,
persistent:T=!1,despawnWithOwner:k=!1}=_||{},A=xt(y),I=Lo(h||{}),V=g+1,se=Me(Ze(V),u,A,!!T,!!k);return Ue(se,I),Z("spawn",
V,u,A,se.persistent,C.has(V),I),se.view},despawn(u){Pe(),St(Ze(u))&&Z("despawn",u)},setOwner(u,h){Pe();let _=m.get(Ze(u));
if(!_)throw new M(`no object ${u} in the session`);_.owner=xt(h),Z("owner",u,_.owner)}},at=Qe(ot,re,"GameState",0,!1);m.
set(re,at);let Le=Lt({ids:()=>d,gameState:()=>at.view,playerState:()=>U.get(ce),playerStates:U,objects:b,onRpc:q.handle,
change:it});function zt(u,h,_,c){if(L>0)L--;else{for(let I of[...b.keys()])it.despawn(I);G=null}v={tid:u,uuid:h,name:_,instance:null};
let y=v,T=ne&&ne.uuid===h?ne:{uuid:h,name:_},{sceneLoader:k}=Le;(async()=>{let I=typeof T.load=="function"&&!T.loaded&&await T.
load()||T;return typeof k=="function"?k(I,c):null})().then(I=>{v===y&&(y.instance=Ie(e,y,I),Z("loaded",u,!0,""))},I=>{e.
log.error(`the scene ${_} could not be loaded:`,I),Z("loaded",u,!1,Re(I instanceof te?I.message:`${I}`,512))})}function he(u){
v.tid===u&&(!G||G.transitionId!==u)&&(G=v.instance||Ie(e,v,null))}function Tt(u,h,_,c,y){let T=_===0?null:m.get(Ze(_));if(T===
void 0)return y("no_object");if(T&&u!==ce&&T.owner!==u&&q.handlers.has(h)&&!q.handlers.get(h)?.anyone)return y("not_owne\
r");q.run(h,c,u,_,y)}function Ne(u,h,_,c,y){let T=Ye(u),k=ae(_).slice();if(!s)return Be(z=>z.fail("not_connected"));if(c.
length===0)return Be(z=>z.succeed([]));let A=["call",0,T,h,k,[]],I=q.open(c,y,()=>c.includes(ce)||!oe.includes(A)?!1:(oe=
oe.filter(z=>z!==A),!0)),V=(z,Ft)=>t.post(()=>q.settle(I.id,z,Ft));A[1]=I.id;let se=A[5];for(let z of c)k.length>p.maxArgs?
V(z,"too_large"):z===ce?t.post(()=>Tt(ce,T,h,k,(Ft,zo)=>t.post(()=>q.settle(I.id,ce,Ft,zo)))):E.has(z)?h!==0&&!b.has(h)?
V(z,"no_object"):se.push(z):V(z,"peer_gone");return se.length>0&&B(A),I.operation.op}function Be(u){let h=Se({log:e.log,
later:_=>t.post(_,"always")});return t.post(()=>u(h),"always"),h.op}function Te(){a||f||(Z("stop"),$e(),a=!0,s=!1,t.discard(),
e.setTimeout(()=>He("local_stop"),jr))}function He(u){if(!f){f=!0,s=!1,K(),Q.stop(),l.close(1e3,"");for(let h of[...N.keys()])
st(h);x=[],t.post(()=>{a=!1,q.failAll(u);for(let[h,_]of[...E].sort(([c],[y])=>c-y))j=O.freeze({..._,state:"gone"}),E.delete(
h),n("onHostPeerDisconnected",h,"host_stopped");j=null,o(u),n("onSessionStopped",u)},"always")}}return{get mode(){return p.
dedicated?"dedicated":"host"},isAuthority:!0,get hostPort(){return s?p.port:0},get joinCode(){return s?p.joinCode:""},get isSessionActive(){
return s},get localConnectionId(){return s?ce:0},localRole:"authority",get sessionId(){return s?i:""},get peers(){return[
...E.values()].sort((u,h)=>u.connectionId-h.connectionId)},get activeScene(){return G},get context(){return s?Le:null},serverTime:()=>Q.
clock.now(e.now()),peer:u=>E.get(u)||(j&&j.connectionId===u?j:void 0),stop:Te,beforeUpdate(){w=e.now(),xe()},update(){},
disconnectPeer(u,h){if(u===ce)throw new M("disconnectPeer: the host leaves by stop()");s&&E.has(u)?Z("kick",u,Re(`${h===
void 0?"":h}`,512)):e.log.debug(`disconnectPeer: no peer ${u}`)},hostLoadScene(u,h){let{uuid:_,name:c}=$o(u);Pe(),je(h),
h||(G=null),ne=u,L++,Z("scene",_,Re(c,128),h)},sendRpcToConnection:(u,h,_,c)=>Ne(u,h,_,[c],!1),sendRpcMulticast:(u,h,_,c)=>Ne(
u,h,_,[...new ye(c)],!0),sendRpcToOwner(u,h,_){let c=m.get(Ze(h));return!c||c.owner===0?(Ye(u),Be(y=>y.fail(c?"no_owner":
"no_object"))):Ne(u,h,_,[c.owner],!1)}}}function Lo(e){let t=typeof e.names=="function"&&typeof e.get=="function",n=t?e.
names():O.keys(e),o=[];for(let r of n){if(Y(r).length>128||r==="")throw new M("state: a name has 1 to 128 bytes");o.push(
[r,dt(t?e.get(r):e[r])])}return o}function Bo(){let e=[],t=0,n=0,o=0;function r(d){e=e.slice(t).filter(p=>d(p.kind)),t=0,n=0;for(let p of e)n+=p.bytes}return{
get full(){return e.length-t>=4096||n>8388608},get flooded(){return e.length-t>=2*4096},post(d,p="keep",l=0){e.push({kind:p,
bytes:l,order:++o,run:d}),n+=l},dropState:()=>r(d=>d!=="state"),discard:()=>r(d=>d==="always"),drain(){let d=o;for(;t<e.
length&&e[t].order<=d;){let p=e[t++];n-=p.bytes,p.run()}t===e.length?e=[]:e=e.slice(t),t=0}}}var Pr=["onHostPeerConnected","onHostPeerDisconnected","onSessionStarted","onSessionStopped","onClientJoinFailed","onCli\
entSceneLoadRequested","onClientSceneActivate","onClientGameStateReplicated","onClientPlayerStateReplicated","onClientOb\
jectReplicated","onHostSceneTransitionComplete","onHostPeerSceneLoadComplete","onHostPeerActivatedInScene","onHostPeerDr\
opped","onHostPeerResumed","onHostTransitionAborted","onClientConnectionLost","onClientConnectionResumed","onClientObjec\
tRemoved"],pn={mode:"none",isAuthority:!1,hostPort:0,joinCode:"",isSessionActive:!1,localConnectionId:0,localRole:"none",
sessionId:"",peers:[],activeScene:null,context:null};function vo(e,t){let n=new mn,o=p=>{let l=n.get(p);if(!l)throw new M(
"not a NetSessionManager");return l};class r{constructor(){let l=Bo(),i={},s={role:null,lastError:"",approval:null,mail:l,
updating:!1,hooks:{mail:l,emit:(a,...f)=>i[a](...f),finished(a){s.lastError=a,s.role=null},approval:()=>s.approval}};n.set(
this,s);for(let a of Pr){let{event:f,emit:w}=Mo(a,e.log);i[a]=w,ge(this,a,{value:f,enumerable:!0})}}get peerCount(){return(o(
this).role||pn).peers.length}get serverTimeEpochMs(){let{role:l}=o(this);return l?l.serverTime():e.wall()}get lastError(){
return o(this).lastError}get connectionApprovalCallback(){return o(this).approval}set connectionApprovalCallback(l){if(l!=
null&&typeof l!="function")throw new M("connectionApprovalCallback is a function or null");o(this).approval=l||null}startHost(l,i,s,a,f={}){
let w=o(this),g={projectId:nt("projectId",l),sessionId:nt("sessionId",i),buildHash:nt("buildHash",s),port:a==null?null:Lr(
a),...Nr(f)};if(w.role)return tt(w,"a session is active already");if(!e.host)return tt(w,"only a game that runs in Conch\
 can host a session");let m=e.host.start(g);return m.ok?(w.lastError="",w.role=No(e,w.hooks,g,m,e.host.link(m.link)),!0):
tt(w,Oe(`${m.error}`))}joinSession(l,i){let s=o(this),a=Br(l);if(s.role)return tt(s,"a session is active already");let f=Zn(
i);return f?t.local&&!Qn(f,t.allowedHosts)?tt(s,`${f.text} is not on the local network; add it to Network > Allowed host\
s (network.allowedHosts in conch.json)`):(s.lastError="",s.role=Uo(e,s.hooks,a,f),!0):tt(s,`'${Oe(`${i}`).slice(0,100)}'\
 is not the address of a host; write host:${nn}`)}stop(){let{role:l}=o(this);l&&l.stop()}update(l){let i=o(this);if(!i.updating){
i.updating=!0;try{i.role?.beforeUpdate&&i.role.beforeUpdate(),i.mail.drain(),i.role&&i.role.update()}finally{i.updating=
!1}}}getPeerForConnection(l){let{role:i}=o(this);return i&&i.peer&&i.peer(l)||jo()}disconnectPeer(l,i){Ho(o(this),"disco\
nnectPeer").disconnectPeer(l,i)}hostLoadScene(l,i=!1){Ho(o(this),"hostLoadScene").hostLoadScene(l,!!i)}notifyClientSceneLoaded(l,i=!0,s=""){
let{role:a}=o(this);if(!a||!a.notifyClientSceneLoaded)throw new te("notifyClientSceneLoaded: only a client of a session \
calls it");a.notifyClientSceneLoaded(l,!!i,s)}sendRpcToHost(l,i,s){return d(o(this),"sendRpcToHost","not_client",[l,Dt(i),
s])}sendRpcToConnection(l,i,s,a){return d(o(this),"sendRpcToConnection","not_host",[l,Dt(i),s,Vt(a,"connectionId")])}sendRpcToOwner(l,i,s){
return d(o(this),"sendRpcToOwner","not_host",[l,Dt(i),s])}sendRpcMulticast(l,i,s,a){if(!Array.isArray(a))throw new M("se\
ndRpcMulticast: connectionIds is a list");let f=a.map(w=>Vt(w,"a connection id"));return d(o(this),"sendRpcMulticast","n\
ot_host",[l,Dt(i),s,f])}}for(let p of O.keys(pn))ge(r.prototype,p,{get(){let l=o(this).role||pn;return p==="joinCode"?l.
joinCode||"":p==="peers"?[...l.peers]:l[p]},configurable:!0});return ge(r,"name",{value:"NetSessionManager",configurable:!0}),
r;function d(p,l,i,s){if(ae(s[2]),p.role&&p.role[l])return p.role[l](...s);let a=Se({log:e.log,later:f=>p.mail.post(f,"a\
lways")});return p.mail.post(()=>a.fail(p.role?i:"not_connected"),"always"),a.op}}function tt(e,t){return e.lastError=t,
!1}function Ho(e,t){if(!e.role||!e.role.isAuthority)throw new te(`${t}: only the session host calls it`);return e.role}function nt(e,t){
if(typeof t=="string"&&/^[A-Za-z0-9._:+-]{1,128}$/.test(t))return t;throw new M(`${e} has 1 to 128 of the characters A-Z\
 a-z 0-9 . _ : + -`)}function Vt(e,t){if(ie.isSafeInteger(e)&&e>=0)return e;throw new M(`${t} is a whole number, not ${e}`)}
function Dt(e){return Vt(e,"the id of an object")}function Lr(e){if(ie.isInteger(e)&&e>=0&&e<=65535)return e;throw new M(
`startHost: the port is a whole number from 0 to 65535, not ${e}`)}function Nr({password:e,open:t,maxPeers:n,anyBuild:o}){
let r={};return e!==void 0&&(r.password=`${e}`),t!==void 0&&(r.open=!!t),n!==void 0&&(r.maxPeers=Vt(n,"maxPeers")),o!==void 0&&
(r.anyBuild=!!o),r}function Br(e){if(e===null||typeof e!="object")throw new M("joinSession: the request is an object wit\
h projectId and buildHash");let{projectId:t,buildHash:n,sessionId:o,playerName:r="",password:d,joinCode:p="",asSpectator:l,
userData:i,timeoutMs:s=1e4}=e,a=ae(i).slice();if(a.length>4096)throw new M(`joinSession: userData has ${a.length} bytes,\
 at most 4096 are sent`);if(d!==void 0&&Y(`${d}`).length>1024)throw new M("joinSession: the password is longer than 1024\
 bytes");return{projectId:nt("projectId",t),buildHash:nt("buildHash",n),sessionId:o===void 0||o===""?"":nt("sessionId",o),
playerName:Ht(r),password:d===void 0?void 0:`${d}`,joinCode:vt(`${p}`),asSpectator:!!l,userData:a,timeoutMs:ie.isFinite(
s)?ee(J(s,1e3),6e4):1e4}}var Hr=O.freeze({None:"none",Host:"host",Dedicated:"dedicated",Client:"client"}),vr=O.freeze({None:"none",Authority:"aut\
hority",Player:"player",Spectator:"spectator"});function Do(e,t){let{origin:n,allowedHosts:o}=t;return{NetSessionManager:vo(
qn(e,t),{local:n!=="",allowedHosts:o}),NetSessionMode:Hr,NetRole:vr,DataStream:pe}}var we=globalThis,Vo=Symbol.for("conch.session");function Dr(){let e=we[Vo];return delete we[Vo],e||{driver:En(we.WebSocket),
log:kn({debug:!1},kt),origin:"",allowedHosts:[]}}if(we.document&&!(we.conch&&we.conch.NetSessionManager)){let e=Do(we,Dr()),
{NetSessionManager:t}=e,n=O.freeze({version:"1.0",...we.conch,...e});for(let[o,r]of[["conch",n],["NetSessionManager",t]])
ge(we,o,{value:r,writable:!0,configurable:!0})}})();
