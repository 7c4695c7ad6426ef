// Conch session script, built from frontend/src. Do not edit.
(()=>{var{apply:pe,construct:gt,defineProperty:Se,getOwnPropertyDescriptor:Bt}=Reflect,{AbortController:fn,Array:Ce,ArrayBuffer:at,
Blob:Hr,DOMException:vr,DataView:ge,Error:ee,EventSource:Br,JSON:Ve,Map:z,Number:te,Object:O,Promise:xe,Proxy:Dr,RangeError:I,
Set:he,String:Vr,TextDecoder:un,TextEncoder:dn,TypeError:M,URL:ct,Uint32Array:Te,Uint8Array:P,WeakMap:pn,XMLHttpRequest:hn,
clearTimeout:wn,encodeURIComponent:yt,parseInt:lt}=globalThis,{abs:mn,floor:ze,fround:gn,max:F,min:ne,random:zr}=Math,Dt=Date.
now,yn=globalThis.performance?globalThis.performance.now.bind(globalThis.performance):Dt;function bn(e){return Ho.getRandomValues(
new P(e))}var Fr=zt(globalThis.fetch),Vt=zt(globalThis.setTimeout),Gr=zt(globalThis.setInterval),De=globalThis.console,bt={
error:De.error.bind(De),warn:De.warn.bind(De),info:De.info.bind(De)},{crypto:Ho}=globalThis,{addEventListener:vo,removeEventListener:Bo}=globalThis.
EventTarget.prototype;function zt(e){return e&&e.bind(globalThis)}function Fe(e,t,n,o){pe(vo,e,[t,n,o])}function Ge(e,t,n){
pe(Bo,e,[t,n])}function ye(e,t){let n=e&&Bt(e,t)?.get;return n?o=>pe(n,o,[]):o=>o[t]}function _n(e){let t=e.prototype,{send:n,close:o}=t,r=Bt(t,"binaryType")?.set,{MessageEvent:u,CloseEvent:f}=globalThis;return{
open(a,i){let s=gt(e,i===void 0?[a]:[a,i]);return r&&pe(r,s,["arraybuffer"]),s},send:(a,i)=>pe(n,a,[i]),close:(a,...i)=>pe(
o,a,i),readyState:ye(t,"readyState"),bufferedAmount:ye(t,"bufferedAmount"),protocol:ye(t,"protocol"),listen:Fe,unlisten:Ge,
data:ye(u?.prototype,"data"),code:ye(f?.prototype,"code"),reason:ye(f?.prototype,"reason"),wasClean:ye(f?.prototype,"was\
Clean")}}function Sn(e,t=bt){return{debugging:e.debug,error:(n,...o)=>t.error(`net [${n}]`,...o),note:(n,o)=>t.warn(`net [${n}] ${o}`),
debug:(n,o)=>{e.debug&&t.info(`net [${n}] ${o}`)}}}var Ft=1<<20,Gt=te.MAX_SAFE_INTEGER,Do=ye(at.prototype,"byteLength"),Vo=new dn,zo=new un("utf-8",{fatal:!0,ignoreBOM:!0});
function W(e){return Vo.encode(e)}function Ae(e){return zo.decode(e)}function de(e){if(e instanceof be)return e._bytes.subarray(
0,e._length);if(at.isView(e))return new P(e.buffer,e.byteOffset,e.byteLength);if(e==null)return new P(0);try{Do(e)}catch{
throw new M("bytes are a DataStream, an ArrayBuffer, a typed array or a DataView")}return new P(e)}var be=class{constructor(){
this._bytes=new P(64),this._view=new ge(this._bytes.buffer),this._length=0,this._at=0,this._limit=Ft}static from(t){let n=de(
t);if(n.length>Ft)throw new I(`DataStream: ${n.length} bytes, at most ${Ft} fit`);return ft(n.slice())}get length(){return this.
_length}get position(){return this._at}set position(t){if(!(t>=0&&t<=this._length)||t%1!==0)throw new I(`DataStream: no \
position ${t}`);this._at=t}toUint8Array(){return this._bytes.slice(0,this._length)}_grow(t){let n=this._at,o=n+t;if(o>this.
_limit)throw new I(`DataStream: at most ${this._limit} bytes fit`);if(o>this._bytes.length){let r=new P(F(o,this._bytes.
length*2));r.set(this._bytes),this._bytes=r,this._view=new ge(r.buffer)}return this._at=o,o>this._length&&(this._length=
o),n}_take(t){let n=this._at;if(n+t>this._length)throw new I("DataStream: read past the end");return this._at=n+t,n}writeU8(t){
let n=this._grow(1);this._view.setUint8(n,t)}writeI8(t){let n=this._grow(1);this._view.setInt8(n,t)}writeU16(t){let n=this.
_grow(2);this._view.setUint16(n,t,!0)}writeI16(t){let n=this._grow(2);this._view.setInt16(n,t,!0)}writeU32(t){let n=this.
_grow(4);this._view.setUint32(n,t,!0)}writeI32(t){let n=this._grow(4);this._view.setInt32(n,t,!0)}writeF32(t){let n=this.
_grow(4);this._view.setFloat32(n,t,!0)}writeF64(t){let n=this._grow(8);this._view.setFloat64(n,t,!0)}writeBool(t){this.writeU8(
t?1:0)}writeVarU(t){if(!(t>=0&&t<=Gt)||t%1!==0)throw new I(`DataStream: ${t} is no varint`);for(;t>127;)this.writeU8(t%128+
128),t=(t-t%128)/128;this.writeU8(t)}writeVarI(t){this.writeVarU(t<0?-t*2-1:t*2)}writeString(t){this.writeBytes(W(t))}writeBytes(t){
let n=de(t);this.writeVarU(n.length),this.writeRaw(n)}writeRaw(t){let n=de(t),o=this._grow(n.length);this._bytes.set(n,o)}readU8(){
return this._view.getUint8(this._take(1))}readI8(){return this._view.getInt8(this._take(1))}readU16(){return this._view.
getUint16(this._take(2),!0)}readI16(){return this._view.getInt16(this._take(2),!0)}readU32(){return this._view.getUint32(
this._take(4),!0)}readI32(){return this._view.getInt32(this._take(4),!0)}readF32(){return this._view.getFloat32(this._take(
4),!0)}readF64(){return this._view.getFloat64(this._take(8),!0)}readBool(){let t=this.readU8();if(t>1)throw new I("DataS\
tream: neither true nor false");return t===1}readVarU(){let t=0;for(let n=1;n<2**56;n*=128){let o=this.readU8();if(t+=(o&
127)*n,!(o>127)){if(t>Gt||o===0&&n>1)break;return t}}throw new I("DataStream: not a varint")}readVarI(){let t=this.readVarU();
return t%2?-(t+1)/2:t/2}readString(){return Ae(this.readRaw(this.readVarU()))}readBytes(){return this.readRaw(this.readVarU()).
slice()}readRaw(t){let n=this._take(t);return this._bytes.subarray(n,n+t)}};function ft(e){let t=new be;return t._bytes=
e,t._view=new ge(e.buffer,e.byteOffset,e.byteLength),t._length=e.length,t}function qe(){let e=new be;return e._limit=Gt,
e}var Tn=65536,An=16,kn=4096,xn=te.MAX_SAFE_INTEGER,{hasOwnProperty:Fo}=O.prototype,Xe=new ge(new P(8).buffer);function qt(e,{
size:t=Tn,nesting:n=An,elements:o=kn}={}){let r=new ge(e.buffer,e.byteOffset,e.byteLength),u=0;function f(p){let h=u;if(h+
p>e.length||h+p>t)throw new I("value is cut short or too long");return u+=p,h}function a(p){if(p<24)return p;if(p===24)return r.
getUint8(f(1));if(p===25)return r.getUint16(f(2));if(p===26)return r.getUint32(f(4));if(p!==27)throw new I("value of unk\
nown length");let h=f(8),y=r.getUint32(h)*2**32+r.getUint32(h+4);if(y>xn)throw new I("number too large");return y}function i(p){
let h=a(p);if(h>o)throw new I(`${h} elements, at most ${o}`);return h}function s(p){let h=a(p),y=f(h);return e.subarray(
y,y+h)}function l(p){if(p===20||p===21)return p===21;if(p===22)return null;if(p===25)return qo(r.getUint16(f(2)));if(p===
26)return r.getFloat32(f(4));if(p===27)return r.getFloat64(f(8));throw new I("not a value of state")}function c(p){let h=r.
getUint8(f(1)),y=h&31,x=h>>5;if(p===0&&(x===4||x===5))throw new I("nested too deep");switch(x){case 0:return a(y);case 1:{
let k=a(y);if(k===xn)throw new I("number too large");return-1-k}case 2:return s(y).slice();case 3:return Ae(s(y));case 4:{
let k=[];for(let E=i(y);E>0;E--)k.push(c(p-1));return O.freeze(k)}case 5:{let k={};for(let E=i(y);E>0;E--){let g=r.getUint8(
f(1));if(g>>5!==3)throw new I("a key that is no text");let _=Ae(s(g&31));if(pe(Fo,k,[_]))throw new I("the same key twice");
Se(k,_,{value:c(p-1),enumerable:!0})}return O.freeze(k)}case 7:return l(y);default:throw new I("not a value of state")}}
return{value:c(n),length:u}}function We(e,t){let{value:n,length:o}=qt(e,t);if(o!==e.length)throw new I("bytes after the \
value");return n}function Je(e,{size:t=Tn,nesting:n=An,elements:o=kn}={}){let r=qe();function u(s,l){let c=s<<5;if(l<24)
return r.writeU8(c|l);let d=l<2**8?0:l<2**16?1:l<2**32?2:3;r.writeU8(c|24+d),Xe.setUint32(0,l/2**32),Xe.setUint32(4,l),r.
writeRaw(new P(Xe.buffer,8-(1<<d)))}function f(s,l){u(s,l.length),r.writeRaw(l)}function a(s){if(te.isSafeInteger(s)&&(s!==
0||1/s>0))return s<0?u(1,-1-s):u(0,s);let l=gn(s)===s||s!==s;r.writeU8(l?250:251),l?Xe.setFloat32(0,s):Xe.setFloat64(0,s),
r.writeRaw(new P(Xe.buffer,0,l?4:8))}function i(s,l){if(r.length>t)throw new I(`a value of state has at most ${t} bytes`);
if(s===null||s===!1||s===!0)return r.writeU8(s===null?246:s?245:244);if(typeof s=="number")return a(s);if(typeof s=="str\
ing")return f(3,W(s));if(s instanceof P)return f(2,s);let c=Ce.isArray(s);if(!c&&!Go(s))throw new M("state holds null, b\
ooleans, numbers, texts, Uint8Array, lists and plain objects of these");if(l===0)throw new I(`a value of state nests at \
most ${n} deep`);let d=c?s:O.keys(s);if(d.length>o)throw new I(`a list or object in state has at most ${o} elements`);u(
c?4:5,d.length);for(let p of d)c||f(3,W(p)),i(c?p:s[p],l-1)}if(i(e,n),r.length>t)throw new I(`a value of state has at mo\
st ${t} bytes`);return r.toUint8Array()}function Go(e){if(typeof e!="object")return!1;let t=O.getPrototypeOf(e);return t===
null||O.getPrototypeOf(t)===null}function qo(e){let t=e>>10&31,n=e&1023,o=t===31?n?NaN:1/0:t===0?n*2**-24:(1024+n)*2**(t-
25);return e&32768?-o:o}var Kt="conch.session.1",xt="/_conch/session",Mn=524288,Xo=16<<20,En=4096,On=1,Tt=0,Me=1,J=2,pt=["ok","no_handler","hand\
ler_threw","no_object","not_owner","rejected","rate_limited","queue_full","too_large","peer_gone","not_ready","no_owner",
"timeout","unknown"],R={read:e=>e.readVarU(),write:(e,t)=>e.writeVarU(t)},_t={read:e=>e.readU8(),write:(e,t)=>e.writeU8(
t)},Rn={read:e=>e.readU32(),write:(e,t)=>e.writeU32(t)},dt={read:e=>e.readBool(),write:(e,t)=>e.writeBool(t)},ut=e=>({read:t=>t.
readRaw(e).slice(),write:(t,n)=>t.writeRaw(n)}),Ue=e=>({read:t=>t.readRaw(At(t.readVarU(),e)).slice(),write:(t,n)=>t.writeBytes(
n)}),Ye=(e,t=0)=>({read(n){let o=At(n.readVarU(),e);if(o<t)throw new I("a name that is empty");return Ae(n.readRaw(o))},
write:(n,o)=>n.writeBytes(W(o))}),St=(e,t)=>({read(n){let o=[];for(let r=At(n.readVarU(),e);r>0;r--)o.push(t.read(n));return o},
write(n,o){n.writeVarU(o.length);for(let r of o)t.write(n,r)}}),v=(e,t)=>({read(n){let o={};for(let r in e)o[r]=e[r].read(
n);if(t&&!t(o))throw new I("a field out of range");return o},write(n,o){for(let r in e)e[r].write(n,o[r])}}),Wt={read(e){
let t=e.readVarU();if(t%4>J||t%4===Tt&&t>0)throw new I("a target of no kind");return t},write:R.write},Wo={read(e){let t=e.
readVarU(),n=(t-t%2)/2;if(t%2)return{name:n,removed:!0,raw:new P(0),value:void 0};let o=e.position,{value:r,length:u}=qt(
e.readRaw(e.length-o));return e.position=o,{name:n,removed:!1,raw:e.readRaw(u).slice(),value:r}},write(e,t){e.writeVarU(
t.name*2+(t.removed?1:0)),e.writeRaw(t.raw)}},Jt=St(1024,Wo),In=v({class:Ye(128),owner:R,persistent:dt}),jn={read(e){let t=Wt.
read(e),{class:n,owner:o,persistent:r}=t%4===J?In.read(e):{class:"",owner:0,persistent:!1};return{target:t,class:n,owner:o,
persistent:r,fields:Jt.read(e)}},write(e,t){e.writeVarU(t.target),t.target%4===J&&In.write(e,t),Jt.write(e,t.fields)}},$n=Ye(
128,1),Cn=Ue(262144),Ke=Ye(128),Xt=Ye(512),Un=Ye(32),Jo=v({args:R,message:R,frames:R,framesBurst:R,bytes:R,bytesBurst:R,
calls:R,callsBurst:R,pingMillis:R,timeoutMillis:R,resumeMillis:R,callsInFlight:R}),T={hello:1,challenge:2,auth:3,welcome:4,
reject:5,ping:6,pong:7,bye:8,load:10,loaded:11,activate:12,names:19,snapBegin:20,snapPart:21,snapEnd:22,delta:23,spawn:24,
despawn:25,owner:26,resync:27,check:28,rpc:30,result:31,relayed:32},Pn={[T.hello]:v({minVersion:R,maxVersion:R,nonce:ut(
16),project:ut(32)}),[T.challenge]:v({version:R,nonce:ut(16),project:ut(32),need:_t,salt:Ue(32),iterations:R}),[T.auth]:v(
{build:Ke,session:Ke,name:Ke,kind:_t,spectator:dt,userData:Ue(4096),proof:Ue(32),resume:Ue(16),loaded:R}),[T.welcome]:v(
{id:R,session:Ke,token:ut(16),role:_t,resumed:dt,proof:Ue(32),hostMicros:R,tickHz:R,limits:Jo}),[T.reject]:v({code:Un,text:Xt,
retryAfterMillis:R}),[T.ping]:v({seq:R,t0:R}),[T.pong]:v({seq:R,t0:R,t1:R,t2:R}),[T.bye]:v({code:Un,text:Xt}),[T.load]:v(
{transition:R,uuid:Ke,name:Ke,seamless:dt}),[T.loaded]:v({transition:R,ok:dt,text:Xt}),[T.activate]:v({transition:R}),[T.
names]:v({base:R,names:St(En,Ye(128))},e=>e.base+e.names.length<=En),[T.snapBegin]:v({seq:R,size:R},e=>e.size<=Xo),[T.snapPart]:{
read:e=>({data:e.readRaw(At(e.length-e.position,16384)).slice()}),write:(e,t)=>e.writeRaw(t.data)},[T.snapEnd]:v({crc:Rn}),
[T.delta]:v({prev:R,seq:R,changes:St(65536,v({target:Wt,fields:Jt}))}),[T.spawn]:v({entity:jn},e=>e.entity.target%4===J),
[T.despawn]:v({target:Wt},e=>e.target!==Tt),[T.owner]:v({object:R,owner:R}),[T.resync]:v({seq:R}),[T.check]:v({seq:R,crc:Rn}),
[T.rpc]:v({call:R,object:R,name:$n,args:Cn}),[T.result]:v({call:R,status:_t,value:Ue(65536)}),[T.relayed]:v({from:R,object:R,
name:$n,args:Cn})};function At(e,t){if(e>t)throw new I(`longer than ${t}`);return e}function Ze(e,t){let n=qe();Pn[e].write(
n,t);let o=qe();return o.writeU8(e),o.writeU8(0),o.writeBytes(n),o.toUint8Array()}function Ln(e){let t=ft(e),n=[];do{let o=t.
readU8(),r=t.readU8();if(r&~On)throw new I(`frame ${o} has unknown flags`);let u=t.readRaw(t.readVarU()),f=Pn[o];if(f)n.
push({type:o,weight:u.length,...f.read(ft(u))});else if(!(r&On))throw new I(`unknown frame ${o}`)}while(t.position<t.length);
return n}var Nn=St(65536,jn);function Hn(e){return Nn.read(ft(e))}function vn(e){let t=qe();return Nn.write(t,e),t._bytes.
subarray(0,t._length)}function Bn(e,{driver:t,log:n,origin:o}){let r=o.replace(/^http/,"ws"),u=0,f={error:(i,...s)=>n.error("session",i,...s),
note:i=>n.note("session",i),debug:i=>n.debug("session",i)},a=({host:i,port:s,secure:l})=>`${l?"wss":"ws"}://${i}:${s}${xt}`;
return{connect(i,{projectId:s}){let l=a(i);if(!o)return Yt(t,l,Kt);let c=`u=${yt(l)}&project=${yt(s)}&n=${++u}`;return Yt(
t,`${r}/__conch/session/join?${c}`,Kt)},now:yn,wall:Dt,random:bn,setTimeout:(i,s)=>Vt(i,s),clearTimeout:i=>wn(i),storage:Yo(
e),places:new he,log:f,kind:o?"launcher":"browser",onWake(i){let{document:s}=e,l=()=>{s.visibilityState==="visible"&&i()};
return s&&Fe(s,"visibilitychange",l),Fe(e,"pageshow",i),Fe(e,"online",i),()=>{s&&Ge(s,"visibilitychange",l),Ge(e,"pagesh\
ow",i),Ge(e,"online",i)}},host:o?{start:i=>Ko(`${o}/__conch/session/host`,i),link:i=>Yt(t,`${r}/__conch/session/link?hos\
t=${yt(i)}`,void 0)}:null}}function Yt(e,t,n){let o=e.open(t,n),r={onopen:null,onmessage:null,onclose:null,get bufferedAmount(){
return e.bufferedAmount(o)},send(a){e.readyState(o)===1&&e.send(o,a)},close(a,i){e.readyState(o)<2&&e.close(o,a,i)}};e.listen(
o,"open",()=>{if(n!==void 0&&e.protocol(o)!==n)return e.close(o,4002,"another protocol");r.onopen&&r.onopen()}),e.listen(
o,"message",a=>{r.onmessage&&r.onmessage(e.data(a))});let u=!1;function f(a,i){u||(u=!0,r.onclose&&r.onclose(a,i))}return e.
listen(o,"close",a=>f(e.code(a),e.reason(a))),e.listen(o,"error",()=>Vt(()=>{e.readyState(o)===3&&f(1006,"")},100)),r}function Ko(e,t){
let n={ok:!1,error:"the launcher did not answer",port:0,joinCode:"",dedicated:!1,maxArgs:0,hostMicros:0,link:""};try{let o=gt(
hn,[]);return o.open("POST",e,!1),o.setRequestHeader("Content-Type","application/json"),o.send(Ve.stringify(t)),O.assign(
n,Ve.parse(o.responseText))}catch{return n}}function Yo(e){try{return e.sessionStorage||null}catch{return null}}var Zo=/^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:[\]/?#@\\*%]+)(?::([0-9]{1,5}))?$/i,Qo=/^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/,
er=/^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/,tr=/^\d+\.\d+\.\d+\.\d+$/;function nr(e){let t=e.replace(/^\uFEFF/,"").replace(
/#.*/s,"").trim(),n=Zo.exec(t);if(!n)return null;let o=n[3]===void 0?0:te(n[3]);if(n[3]!==void 0&&(o<1||o>65535))return null;
let r;try{r=Fn(new ct(`ws://${n[2]}/`).hostname)}catch{return null}let u=n[1]!==void 0;return!r||u&&Gn(r)?null:{host:r,port:o,
wildcard:u}}function Dn(e){let t=[];for(let n of e){let o=nr(n);o&&t.push(o)}return t}function Vn(e,t){let n=kt(t),o=or(
t);return n?e.some(r=>(r.port===0||r.port===o)&&(r.wildcard?!Gn(n)&&n.endsWith("."+r.host):n===r.host)):!1}function kt(e){
return Fn(e.hostname)}function or(e){return e.port?te(e.port):e.protocol==="wss:"||e.protocol==="https:"?443:80}function zn(e){
let t=kt(e);return t==="localhost"||t==="127.0.0.1"||t==="::1"}function Fn(e){if(e.startsWith("[")){let n=e.slice(1,-1),
o=er.exec(n);if(!o)return n;let r=lt(o[1],16),u=lt(o[2],16);return`${r>>8}.${r&255}.${u>>8}.${u&255}`}let t=e.endsWith("\
.")?e.slice(0,-1):e;return t.length<=253&&Qo.test(t)?t:""}function Gn(e){return e.includes(":")||tr.test(e)}var Zt=24642;function qn(e){let t=typeof e=="string"?e.trim():"",[,n,o]=/^(?:(ws|wss|http|https):\/\/)?(.+)$/i.exec(t)||
[];if(!o||/[\s\\?#@]/.test(o))return null;let r=!n&&/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(o)?`[${o}]`:o,u=/s$/i.
test(n||"")&&!/^ws$/i.test(n||""),f;try{f=new ct(`${u?"wss":"ws"}://${r}`)}catch{return null}let a=kt(f),[,i=""]=/^\/j\/([0-9A-Za-z-]{1,16})$/.
exec(f.pathname)||[];if(!a||f.pathname!=="/"&&f.pathname!==xt&&!i)return null;let s=/:(\d+)(?:\/|$)/.exec(r.replace(/^\[.*\]/,
"")),l=s?te(s[1]):u?443:Zt;if(l<1||l>65535)return null;let c=a.includes(":")?`[${a}]`:a;return{host:c,port:l,secure:u,text:`${c}\
:${l}`,code:i}}function Xn({host:e,port:t,secure:n},o){let r=new ct(`${n?"wss":"ws"}://${e}:${t}/`);return zn(r)||/\.local$/.
test(e)||rr(e)||Vn(Dn(o),r)}function rr(e){return/^(?:127|10)\.\d+\.\d+\.\d+$|^192\.168\.\d+\.\d+$|^169\.254\.\d+\.\d+$|^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$/.
test(e)||/^\[f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]):/.test(e)}function ke({log:e,later:t,cancel:n}){let o="pending",r,u=[];function f(i,s){if(o!=="pending")return;o=i,r=s;let l=u;u=[];
for(let c of l)c()}let a=O.freeze({get state(){return o},get result(){return o==="succeeded"?r:void 0},get error(){return o===
"failed"?r:void 0},onDone(i){if(typeof i!="function")throw new M("onDone: a listener is a function");let s=()=>{try{i(a)}catch(l){
e.error("onDone threw:",l)}};return o==="pending"?u.push(s):t(s),a},cancel(){return o!=="pending"||!n||!n()?!1:(t(()=>f(
"failed","cancelled")),!0)},then(i,s){let c=new xe((d,p)=>{let h=()=>o==="succeeded"?d(r):p(new ee(r));o==="pending"?u.push(
h):h()}).then(i,s);return c.catch(()=>{}),c}});return{op:a,succeed:i=>f("succeeded",i),fail:i=>f("failed",i)}}var sr=65536,ir=1e4;function Et({log:e,now:t,later:n}){let o=new z,r=new z,u=0;function f(a){let i=[...a.results.values()];
i.some(s=>s===null)||(r.delete(a.id),a.operation.succeed(a.many?O.freeze(i):i[0]))}return{handlers:o,get inFlight(){return r.
size},open(a,i,s){let l=++u,c=ke({log:e,later:n,cancel:()=>s()&&r.delete(l)}),d={id:l,operation:c,many:i,results:new z,at:t(),
sent:!1,lost:!1,takeBack:s};for(let p of a)d.results.set(p,null);return r.set(l,d),d},settle(a,i,s,l,c=t()){let d=r.get(
a);if(!d||d.results.get(i)!==null)return;let p={callId:a,connectionId:i,rttMs:c-d.at,status:s};d.results.set(i,O.freeze(
l&&l.length?{...p,value:be.from(l)}:p)),f(d)},fail(a,i){let s=r.get(a);r.delete(a),s&&s.operation.fail(i)},failAll(a){for(let i of[
...r.keys()])this.fail(i,a)},linkLost(){for(let a of r.values())a.sent&&(a.lost=!0)},endLost(){for(let a of[...r.values()])
if(a.lost)for(let i of a.results.keys())this.settle(a.id,i,"unknown")},expire(){for(let a of[...r.values()])if(!(t()-a.at<
ir)){a.takeBack()&&this.fail(a.id,"timeout");for(let i of a.results.keys())this.settle(a.id,i,"timeout")}},handle(a,i,s){
let l=Qe(a);if(typeof i!="function")throw new M("onRpc: a handler is a function");let c={run:i,anyone:s};return o.set(l,
c),()=>o.get(l)===c&&o.delete(l)},run(a,i,s,l,c){let d=o.get(a);if(!d)return c("no_handler");let p=y=>{e.error(`the hand\
ler of the call ${a} threw:`,y),c("handler_threw")},h=y=>{let x=de(y);x.length>sr?c("too_large"):c("ok",x.slice())};try{
let y=pe(d.run,void 0,[be.from(i),s,l]);y&&typeof y.then=="function"?y.then(h).then(void 0,p):h(y)}catch(y){p(y)}}}}function Qe(e){
let t=typeof e=="string"?W(e).length:0;if(t===0||t>128)throw new M("the name of a call is a text of 1 to 128 bytes");return e}var Wn=lr(64),ar=new Te(Wn.map(e=>Kn(e**(1/3)))),Jn=new Te(Wn.slice(0,8).map(e=>Kn(e**(1/2)))),cr=fr();function lr(e){let t=[
2];for(let n=3;t.length<e;n+=2)t.every(o=>n%o)&&t.push(n);return t}function Kn(e){return(e-ze(e))*2**32}function Qt(e,t){
for(let l=16;l<64;l++){let c=t[l-15],d=t[l-2];t[l]=t[l-16]+t[l-7]+((c>>>7|c<<25)^(c>>>18|c<<14)^c>>>3)+((d>>>17|d<<15)^(d>>>
19|d<<13)^d>>>10)}let[n,o,r,u,f,a,i,s]=e;for(let l=0;l<64;l++){let c=s+((f>>>6|f<<26)^(f>>>11|f<<21)^(f>>>25|f<<7))+(f&a^
~f&i)+ar[l]+t[l]|0,d=((n>>>2|n<<30)^(n>>>13|n<<19)^(n>>>22|n<<10))+(n&o^n&r^o&r)|0;s=i,i=a,a=f,f=u+c|0,u=r,r=o,o=n,n=c+d|
0}e[0]+=n,e[1]+=o,e[2]+=r,e[3]+=u,e[4]+=f,e[5]+=a,e[6]+=i,e[7]+=s}function Ot(e,t,n){let o=0;for(let s of t)o+=s.length;
let r=new P(o+9+63&-64),u=0;for(let s of t)r.set(s,u),u+=s.length;r[u]=128;let f=new ge(r.buffer);f.setUint32(r.length-8,
(n+o)/2**29),f.setUint32(r.length-4,(n+o)*8);let a=e.slice(),i=new Te(64);for(let s=0;s<r.length;s+=64){for(let l=0;l<16;l++)
i[l]=f.getUint32(s+l*4);Qt(a,i)}return a}function Rt(e){let t=new P(32),n=new ge(t.buffer);return e.forEach((o,r)=>n.setUint32(
r*4,o)),t}var Yn=e=>e.map(t=>typeof t=="string"?W(t):t);function et(...e){return Rt(Ot(Jn,Yn(e),0))}function Zn(e){let t=e.
length>64?et(e):e;return[54,92].map(n=>{let o=new Te(64);for(let u=0;u<64;u++)o[u>>2]|=((t[u]||0)^n)<<24-u%4*8;let r=Jn.
slice();return Qt(r,o),r})}function en(e,...t){let[n,o]=Zn(e);return Rt(Ot(o,[Rt(Ot(n,Yn(t),64))],64))}function Qn(e,t,n,o){
let[r,u]=Zn(W(e)),f=new Te(64),a=new Te(8),i=c=>{f.set(a),f.fill(0,8,16),f[8]=2147483648,f[15]=768,a.set(c),Qt(a,f)};a.set(
Ot(r,[t,new P([0,0,0,1])],64)),i(u);let s=a.slice(),l=n-1;return new xe(c=>{let d=()=>{for(let p=2e3;p>0&&l>0;p--,l--){i(
r),i(u);for(let h=0;h<8;h++)s[h]^=a[h]}l>0?o(d):c(Rt(s))};d()})}function fr(){let e=new Te(256);for(let t=0;t<256;t++){let n=t;
for(let o=0;o<8;o++)n=n&1?n>>>1^2197175160:n>>>1;e[t]=n}return e}function It(e){let t=-1;for(let n=0;n<e.length;n++)t=cr[(t^
e[n])&255]^t>>>8;return~t>>>0}function tt(e,t){return e.length===t.length&&e.every((n,o)=>n===t[o])}var tn=1,ur=1e6;function eo(e,{address:t,projectId:n,resuming:o,secret:r,auth:u,onOpen:f,onWelcome:a,onFrame:i,onEnd:s}){
let l=e.random(16),c="dial",d=null,p=e.connect(t,{projectId:n});p.onopen=()=>{c==="dial"&&(c="hello",f&&f(),_(T.hello,{minVersion:tn,
maxVersion:tn,nonce:l,project:et("conch.session.1 client",l,n)}))},p.onmessage=S=>{if(c!=="ended")try{if(typeof S=="stri\
ng")throw new I("a text message");if(S.byteLength>Mn)throw new I("message too long");for(let $ of Ln(new P(S)))h($)}catch($){
e.log.debug(`the host broke the protocol: ${$}`),E(c==="live"?"protocol_error":"not_a_host")}},p.onclose=(S,$)=>g({code:S,
reason:$,text:""});function h(S){if(c!=="ended")if(c==="live")S.type===T.bye?g({code:0,bye:S.code,text:S.text}):i(S);else if(S.
type===T.reject)g({code:4003,reject:S.code,text:S.text,retryAfter:S.retryAfterMillis});else if(S.type===T.challenge&&c===
"hello")y(S);else if(S.type===T.welcome&&c==="auth")k(S);else throw new I(`frame ${S.type} while joining`)}function y({version:S,
nonce:$,project:D,need:L,salt:ae,iterations:B}){if(!tt(D,et("conch.session.1 host",l,$,n)))return E("not_a_host");if(S!==
tn)return E("protocol_version");if(L>2||B>ur)return E("not_a_host");if(c="auth",L===0||o)return x(new P(0));let oe=r(L);
if(oe===null)return E(L===1?"bad_password":"bad_code");Qn(oe,ae,B,V=>e.setTimeout(V,0)).then(V=>{c==="auth"&&(d=en(V,"co\
nch.session.1 welcome",l,$,n),x(en(V,"conch.session.1 join",l,$,n)))})}function x(S){_(T.auth,{...u(),proof:S})}function k(S){
if(d&&!tt(S.proof,d)||S.resumed!==o)return E("not_a_host");c="live",a(S)}function E(S){c==="live"&&_(T.bye,{code:"protoc\
ol_error",text:""}),g({code:0,fault:S,text:""},4002,S)}function g(S,$=4e3,D="left"){if(c==="ended")return;let L=c;c="end\
ed",p.close($,D),s({stage:L,...S})}function _(S,$){U(Ze(S,$))}function U(S){c!=="ended"&&p.send(S)}return{send:_,write:U,
get live(){return c==="live"},get opened(){return c!=="dial"},close(S,$){c==="live"&&_(T.bye,{code:$,text:""}),c!=="ende\
d"&&p.close(S,$),c="ended"}}}var fe=Tt,je=e=>e*4+Me,ht=e=>e*4+J,Q=e=>(e-e%4)/4;function nt(e,t,n,o,r){let u="",f={target:t,typeName:n,owner:o,persistent:r,
fields:new z,view:{}},a={get uuid(){return u||(u=hr(e.sessionId,t))},get typeName(){return f.typeName},get:i=>dr(f,`${i}`),
set:(i,s)=>pr(e,f,`${i}`,s),names:()=>[...f.fields.keys()]};return t%4===J&&O.defineProperties(a,{netObjectId:{value:Q(t),
enumerable:!0},owner:{get:()=>f.owner,enumerable:!0},persistent:{get:()=>f.persistent,enumerable:!0},isMine:{get:()=>f.owner===
e.localConnectionId,enumerable:!0}}),f.view=O.freeze(a),f}function no(e,t){for(let n=t.length;n>0;n=t.lastIndexOf(".",n-
1)){let o=t.slice(0,n),r=e.fields.get(o);if(r)return{name:o,value:r.value,rest:n<t.length?t.slice(n+1).split("."):[]}}return null}
var oo=e=>typeof e=="object"&&e!==null&&!at.isView(e);function dr(e,t){let n=no(e,t);if(!n)return;let{value:o}=n;for(let r of n.
rest){if(!oo(o)||!O.prototype.hasOwnProperty.call(o,r))return;o=o[r]}return o}function pr(e,t,n,o){if(!e.writable)throw new ee(
"only the session host changes state, while the session is active");let r=no(t,n);if(!r||r.rest.length===0)return to(e,t,
n,o);to(e,t,r.name,ro(r.value,r.rest,o))}function ro(e,[t,...n],o){if(!oo(e))throw new M(`state: nothing can be set at ${t}\
, its parent holds no list or object`);let r=Ce.isArray(e);if(r&&!(te(t)<=e.length))throw new M(`state: ${t} is no posit\
ion of the list`);let u=r?[...e]:{...e},f=O.prototype.hasOwnProperty.call(u,t);return n.length>0&&(o=ro(f?u[t]:{},n,o)),
o!==void 0?O.defineProperty(u,t,{value:o,enumerable:!0,writable:!0,configurable:!0}):r?u.splice(te(t),1):delete u[t],u}function to(e,t,n,o){
let r=W(n).length;if(r===0||r>128)throw new M("state: a name has 1 to 128 bytes");if(o===void 0){t.fields.delete(n)&&e.changed(
t,n,null);return}let u=Je(o),f=We(u);t.fields.set(n,{key:0,raw:u,value:f}),e.changed(t,n,u)}function hr(e,t){return nn(et(
`${e}
${t}`),128)}function nn(e,t){let n=e.slice(0,16);return n[6]=n[6]&15|t,n[8]=n[8]&63|128,on(n).replace(/^(.{8})(.{4})(.{4})(.{4})/,
"$1-$2-$3-$4-")}function on(e){let t="";for(let n of e)t+=(n+256).toString(16).slice(1);return t}function wr(e){return nn(e.random(16),64)}function Pe(e,{uuid:t,name:n,tid:o},r){let u=r&&typeof r.instanceId=="string"?
r.instanceId:wr(e);return O.freeze({...r,instanceId:u,scene:O.freeze({uuid:t,name:n}),transitionId:o})}function so(e){if(!e||
typeof e.uuid!="string"||e.uuid===""||e.uuid.length>36)throw new M("hostLoadScene: a scene has a uuid and a name");return{
uuid:e.uuid,name:`${e.name===void 0?"":e.name}`}}var mr=["protocol_version","wrong_project","wrong_session","build_mismatch","bad_password","bad_code","full","banned","a\
pproval_timeout","approval_error","host_stopping","rate_limited","bad_token","timeout","protocol_error"];function Le(e){
return e.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,"").trim()}function Ee(e,t){let n=W(e);if(n.length<=t)return e;let o=t;for(;o>
0&&(n[o]&192)===128;)o--;return Ae(n.subarray(0,o))}function Ct(e){return[...Le(`${e}`)].slice(0,32).join("")}function $t(e,t){
let n=Le(t);return n?`${e}: ${n}`:e}function ao({stage:e,code:t,bye:n,reject:o,fault:r,text:u}){return o==="build_mismat\
ch"?$t(o,u):o?mr.includes(o)?o:$t("refused",u):r||(n==="host_stopped"||t===4001?"host_stopping":n==="kicked"?$t("refused",
u):e==="hello"?"not_a_host":"unreachable")}var io={kicked:"kicked",4004:"kicked",host_stopped:"host_stopped",host_stopping:"\
host_stopped",left:"host_stopped",local_stop:"host_stopped",4e3:"host_stopped",4001:"host_stopped",replaced:"replaced",4009:"\
replaced",rate_limited:"rate_limited",4008:"rate_limited",protocol_error:"protocol_error",4002:"protocol_error",1002:"pr\
otocol_error",1009:"protocol_error",scene_load_failed:"scene_load_failed",scene_load_timeout:"scene_load_timeout",4011:"\
scene_load_failed"};function rn(e,t){let n=O.prototype.hasOwnProperty.call(io,e)?io[e]:"connection_lost";return n==="kic\
ked"||n==="scene_load_failed"?$t(n,t):n}function Ut(e){return e.toUpperCase().replace(/[\s-]/g,"").replace(/O/g,"0").replace(
/[I1]/g,"L").replace(/U/g,"V")}function co(e,{say:t,sceneLoader:n,leave:o,report:r,later:u,appear:f}){let a={tid:0,name:"",uuid:"",loaded:null,reported:!1,
failure:"",asked:!1,active:!1},i=null,s=0;function l(){r({transition:a.tid,ok:a.failure==="",text:a.failure})}function c(){
a.active||!a.loaded||(a.active=!0,i=a.loaded,f(),t("onClientSceneActivate",a.tid))}function d(p,h,y){a.tid===0&&e.log.note(
"notifyClientSceneLoaded: the host has not asked for a scene"),!(!p||p.transitionId!==a.tid||a.reported)&&(a.reported=!0,
h?(a.loaded=Pe(e,a,p),s=a.tid):a.failure=Ee(y||"the scene could not be loaded",512),l(),h&&a.asked&&u(c))}return{get active(){
return i},get lastLoaded(){return s},get ready(){return a.tid===0||a.loaded!==null},load({transition:p,uuid:h,name:y,seamless:x}){
if(p<a.tid)return;if(p===a.tid)return a.reported?l():void 0;o(x),a={tid:p,name:y,uuid:h,loaded:null,reported:!1,failure:"",
asked:!1,active:!1};let k=a;t("onClientSceneLoadRequested",h,y,x,p);let E=n();typeof E=="function"&&new xe(g=>g(E({uuid:h,
name:y},x))).then(g=>d({...Pe(e,k,g)},!0,""),g=>{e.log.error(`the scene ${y} could not be loaded:`,g),d({transitionId:p},
!1,g instanceof ee?g.message:"")})},activate(p){p===a.tid&&(a.asked=!0,c())},loaded:d}}function Mt({ids:e,gameState:t,playerState:n,playerStates:o,objects:r,onRpc:u,change:f}){let a=lo(o),i=lo(r);function s(){
if(!f)throw new ee("only the session host spawns, despawns and gives objects away");return f}return O.seal({get sessionId(){
return e().sessionId},get projectId(){return e().projectId},get buildHash(){return e().buildHash},get gameState(){return t()||
null},get playerState(){return n()||null},get playerStates(){return a},get objects(){return i},spawn:(l,c,d)=>s().spawn(
l,c,d),despawn:l=>s().despawn(l),setOwner:(l,c)=>s().setOwner(l,c),onRpc:(l,c,d)=>u(l,c,!!(d&&d.anyone)),sceneLoader:void 0})}
var gr=["get","has","keys","values","entries"];function lo(e){let t={get size(){return e.size},forEach:n=>e.forEach((o,r)=>n(
o,r,t)),[Symbol.iterator]:()=>e[Symbol.iterator]()};for(let n of gr)t[n]=o=>e[n](o);return O.freeze(t)}var yr=16,fo=4,uo=2,po=250,ho=2e3,wo=.05;function mo(){let e=[],t=!1,n=0,o=0,r=0,u=wo,f=0;function a(s){let l=F(0,(s-o)*
u);return n+ne(F(r-n,-l),l)}function i(s,l){n=t?a(l):s,t=!0,o=l,u=wo,r=s;let c=s-n;return mn(c)<uo?r=n:c>po||c<-ho?n=s:c<
-po&&(u=.5),c>=-ho?!1:(f=0,!0)}return{get synced(){return t},start(s,l){t||(r=n=s-l,o=l,t=!0)},sample(s,l,c,d){let p=d-s-
(c-l);if(s>d||l>c||p<0||e.length>=fo&&p>3*sn(e.map(y=>y.rtt))+uo)return!1;e.push({offset:(l-s+(c-d))/2,rtt:p}),e.length>
yr&&e.shift();let h=[...e].sort((y,x)=>y.rtt-x.rtt).slice(0,fo);return i(sn(h.map(y=>y.offset)),d)},reset(){e=[]},get rtt(){
return e.length?sn(e.map(s=>s.rtt)):0},now(s){return f=F(f,s+a(s)),f}}}function sn(e){let t=[...e].sort((o,r)=>o-r),n=t.
length>>1;return t.length%2?t[n]:(t[n-1]+t[n])/2}var br=8,go=50,_r=5e3,yo=3e3;function jt(e,{ping:t,silent:n}){let o=mo(),r=new z,u=0,f=0,a=0,i=0,s=2e3,l=1e4,c=!1,d=0,p=0;
function h(){let E=ze(e.now()*1e3);r.size>64&&r.clear(),r.set(++u,E),t(u,E)}function y(){e.clearTimeout(p);let E=br,g=()=>{
c&&h(),--E>0&&(p=e.setTimeout(g,go))};g()}function x(){f=ne(f,e.now()-l+yo),r.clear(),o.reset(),y(),k(yo+go)}function k(E){
e.clearTimeout(d),a=e.now(),i=e.wall();let g=E;d=e.setTimeout(()=>{if(F(e.now()-a,e.wall()-i)>g+_r)return x();if(e.now()-
f>l)return n();h(),k(s)},E)}return{clock:o,start({pingMillis:E,timeoutMillis:g},_){s=F(250,ne(E,6e4)),l=F(2e3,ne(g,6e5)),
c=!0,f=e.now(),o.start(_/1e3,f),r.clear(),o.reset(),y(),k(s)},stop(){c=!1,e.clearTimeout(d),e.clearTimeout(p)},hear(){f=
e.now()},pong({seq:E,t0:g,t1:_,t2:U}){let S=r.get(E);S===void 0||S!==g||(r.delete(E),o.sample(S/1e3,_/1e3,U/1e3,e.now())&&
e.log.note("the clock of the session went back"))},wake(){c&&x()}}}var Sr=.95,bo=.9;function _o(e,t){let n=[],o=null,r=0,u=0;function f(){let i=e.now();for(let s of o||[])s.have=ne(s.burst,
s.have+s.rate*(i-r)/1e3);r=i}function a(){if(e.clearTimeout(u),!!o)for(f();n.length>0;){let{frame:i,isCall:s,sent:l}=n[0],
c=[1,i.length,s?1:0],d=0;if(o.forEach((p,h)=>{d=F(d,(ne(c[h],p.burst)-p.have)/p.rate)}),d>0){u=e.setTimeout(a,ne(d,1)*1e3+
1);return}o.forEach((p,h)=>{p.have-=c[h]}),n.shift(),t(i),l&&l()}}return{send(i){n.push(i),a()},cancel(i){let s=n.length;
return n=n.filter(l=>l!==i),n.length<s},start(i){let s=(l,c)=>({rate:F(l*Sr,.001),burst:F(c*bo,1),have:F(c*bo,1)});o=[s(
i.frames,i.framesBurst),s(i.bytes,i.bytesBurst),s(i.calls,i.callsBurst)],r=e.now(),a()},pause(){e.clearTimeout(u),o=null,
n=n.filter(i=>i.isCall)},stop(){this.pause(),n=[]}}}function xo(e,t){let n=new z,o=new z,r=new z,u=new he,f=-1;function a(c,d,p,h){let y=nt(e,c,d,p,h);return n.set(c,y),c%4===
J&&o.set(Q(c),y.view),c%4===Me&&r.set(Q(c),y.view),y}function i(c){n.delete(c)&&(u.delete(c),c%4===Me&&r.delete(Q(c)),c%
4===J&&o.delete(Q(c))&&t.removed(Q(c)))}function s(c,d){for(let{name:p,key:h,removed:y,raw:x,value:k}of d){let E=c.fields.
get(p);(y?E:!E||!tt(E.raw,x))&&u.add(c.target),y?c.fields.delete(p):c.fields.set(p,{key:h,raw:x,value:k})}}function l(c){
let{target:d,class:p,owner:h,persistent:y,fields:x}=c,k=n.get(d);k&&k.typeName!==So(d,p)&&(i(d),k=void 0);let E=!k;k||(k=
a(d,So(d,p),h,y));let g=k.fields;k.fields=new z;for(let{name:_,key:U,raw:S,value:$}of x)k.fields.set(_,{key:U,raw:S,value:$});
(E||k.owner!==h||!xr(g,k.fields))&&u.add(d),k.owner=h,k.persistent=y,!(!E||d%4!==J)&&(u.delete(d),t.appeared(Q(d)))}return a(
fe,"GameState",0,!1),{objects:o,players:r,get seq(){return f},get gameState(){return n.get(fe)?.view},playerState:c=>n.get(
je(c))?.view,snapshot(c,d){let p=new he([fe]);l({target:fe,class:"",owner:0,persistent:!1,fields:[],...d.find(h=>h.target===
fe)});for(let{target:h}of d)p.add(h);for(let h of[...n.keys()])p.has(h)||i(h);for(let h of d)h.target!==fe&&l(h);f=c},delta({
prev:c,seq:d,changes:p}){if(c!==f)return!1;for(let{target:h,fields:y}of p){let x=n.get(h)||(h%4===Me?a(h,"PlayerState",0,
!1):void 0);x&&s(x,y)}return f=d,!0},spawn(c){i(c.target),l(c)},despawn:i,setOwner(c,d){let p=n.get(c);!p||p.owner===d||
(p.owner=d,u.add(c))},dropObjects(c){for(let d of[...n.values()])d.target%4===J&&!(c&&d.persistent)&&i(d.target)},checksum(){
let c=[...n.values()].sort((d,p)=>d.target-p.target).map(d=>({target:d.target,class:d.typeName,owner:d.owner,persistent:d.
persistent,fields:[...d.fields.values()].sort((p,h)=>p.key-h.key).map(({key:p,raw:h})=>({name:p,removed:!1,raw:h,value:null}))}));
return It(vn(c))},takeChanged(){let c=[...u];return u.clear(),c}}}function So(e,t){return e%4===J?t:e%4===Me?"PlayerStat\
e":"GameState"}function xr(e,t){if(e.size!==t.size)return!1;for(let[n,{raw:o}]of e){let r=t.get(n);if(!r||!tt(o,r.raw))return!1}
return!0}function To(e,{projectId:t,sessionId:n},o){let r=1,u=()=>`conch.session ${t} ${o.text} ${r}`;for(;e.places.has(u());)r++;
let f=u();e.places.add(f);let a=null;try{let i=Ve.parse(e.storage?.getItem(f)||"");(!n||n===i.session)&&/^[0-9a-f]{32}$/.
test(i.token)&&(a=new P(16).map((l,c)=>lt(i.token.slice(c*2,c*2+2),16)))}catch{}return{get token(){return a},keep(i,s){a=
i;try{e.storage?.setItem(f,Ve.stringify({token:on(i),session:s}))}catch{}},forget(){a=null;try{e.storage?.removeItem(f)}catch{}},
leave(){e.places.delete(f)}}}var Tr=5e3,Ar=12e4,Ao=[0,250,500,1e3,2e3],kr=[1001,1005,1006,4005,4010],Er=8,Or=["launcher","browser"];function ko(e,{mail:t,
emit:n,finished:o},r,u){let{projectId:f}=r,a=To(e,r,u),i=0,s="",l="player",c={},d=!1,p=!1,h=!1,y=!1,x=null,k=0,E=!1,g=0,
_=0,U=e.kind==="launcher",S=0,$=[],D=null,L=!1,ae=!0,B=jt(e,{ping:(w,A)=>x?.send(T.ping,{seq:w,t0:A}),silent:()=>{E=!0,x?.
close(4005,"timeout"),we()}}),oe=_o(e,w=>x?.write(w)),V=Et({log:e.log,now:e.now,later:w=>t.post(w,"always")}),Re={get sessionId(){
return s},get localConnectionId(){return i},writable:!1,changed(){}},Ie=new he,N=xo(Re,{appeared(w){p&&ue.ready?re("onCl\
ientObjectReplicated",w):Ie.add(w)},removed(w){Ie.delete(w)||re("onClientObjectRemoved",w)}}),ue=co(e,{say:re,sceneLoader:()=>y?
void 0:wt.sceneLoader,leave:N.dropObjects,report:w=>oe.send({frame:Ze(T.loaded,w),isCall:!1}),later:w=>t.post(w),appear:Ne}),
wt=Mt({ids:()=>({sessionId:s,projectId:f,buildHash:r.buildHash}),gameState:()=>N.gameState,playerState:()=>N.playerState(
i),playerStates:N.players,objects:N.objects,onRpc:V.handle,change:null});function re(w,...A){y||n(w,...A)}function mt(){
p=!0,re("onSessionStarted"),N.takeChanged(),re("onClientGameStateReplicated",N.gameState),N.playerState(i)&&re("onClient\
PlayerStateReplicated",N.playerState(i)),Ne()}function Ne(){if(!p||!ue.ready)return;let w=[...Ie];Ie.clear();for(let A of w)
re("onClientObjectReplicated",A)}function $e(){ae||!x||(ae=!0,oe.send({frame:Ze(T.resync,{seq:F(N.seq,0)}),isCall:!1}))}
function He({name:w,args:A,from:H,object:X},G){if(X!==0&&!N.objects.has(X))return G("no_object");V.run(w,A,H,X,G)}function ve(w){
e.clearTimeout(S),d&&(e.clearTimeout(_),_=e.setTimeout(()=>{x?.close(4005,"timeout"),me()},F(1e3,ne(Tr,Y()))));try{x=Be(
w)}catch(A){d?me():ie("unreachable",A instanceof ee?A.message:"")}}function Be(w){return eo(e,{address:u,projectId:f,resuming:w,
secret:A=>A===1?r.password===void 0?null:r.password:r.joinCode||Ut(u.code)||null,auth:()=>({build:r.buildHash,session:r.
sessionId,name:r.playerName,kind:Or.indexOf(e.kind),spectator:r.asSpectator,userData:r.userData,resume:w&&a.token?a.token:
new P(0),loaded:ue.lastLoaded}),onOpen(){d||!U||(e.clearTimeout(_),_=e.setTimeout(()=>ie("timeout"),r.timeoutMs))},onWelcome:m,
onFrame:b,onEnd:A=>ce(A,w)})}function m(w){if(d&&w.id!==i)throw new I("another seat");if(w.id<2)throw new I("a seat that\
 no client has");e.clearTimeout(_),i=w.id,s=w.session,l=w.role===1?"spectator":"player",c=w.limits,$=[],D=null,L=!1,ae=!0,
a.keep(w.token,s),oe.start(c),B.start(c,w.hostMicros),d?(g=0,E=!1,t.post(()=>{V.endLost(),re("onClientConnectionResumed")})):
_=e.setTimeout(()=>ie("timeout","the host sent no state"),r.timeoutMs)}function b(w){if(B.hear(),t.flooded)throw new I("\
more than anybody can read");switch(w.type){case T.ping:{let A=ze(e.now()*1e3);return x?.send(T.pong,{seq:w.seq,t0:w.t0,
t1:A,t2:A})}case T.pong:return B.pong(w);case T.load:return t.post(()=>ue.load(w));case T.activate:return t.post(()=>ue.
activate(w.transition));case T.result:{let A=e.now(),H=w.status<=Er?pt[w.status]:"unknown";return t.post(()=>V.settle(w.
call,1,H,w.value,A),"keep",w.weight)}case T.rpc:return C(w);case T.relayed:{t.full||t.post(()=>He(w,()=>{}),"call",w.weight);
return}default:return j(w)}}function C(w){let A=x,H=(X,G=new P(0))=>{w.call===0||!A||!A.live||A!==x||A.send(T.result,{call:w.
call,status:pt.indexOf(X),value:G})};if(t.full)return H("queue_full");t.post(()=>He({...w,from:1},H),"call",w.weight)}function j(w){
switch(w.type){case T.names:if(w.base!==$.length)throw new I("a gap in the table of names");$.push(...w.names);return;case T.
snapBegin:D={seq:w.seq,size:w.size,got:0,parts:[]};return;case T.snapPart:if(!D||(D.got+=w.data.length)>D.size)throw new I(
"a part too much");D.parts.push(w.data);return;case T.snapEnd:return se(w.crc);case T.delta:{let A=w.changes.map(G=>({target:G.
target,fields:q(G.fields)})),{prev:H,seq:X}=w;return K(w.weight,()=>{N.delta({prev:H,seq:X,changes:A})||$e()})}case T.spawn:{
let A={...w.entity,fields:q(w.entity.fields)};return K(w.weight,()=>N.spawn(A))}case T.despawn:return K(w.weight,()=>N.despawn(
w.target));case T.owner:return K(w.weight,()=>N.setOwner(w.object*4+J,w.owner));case T.check:return K(w.weight,()=>{!ae&&
(N.seq!==w.seq||N.checksum()!==w.crc)&&$e()});default:throw new I(`a host does not send frame ${w.type}`)}}function q(w){
return w.map(({name:A,removed:H,raw:X,value:G})=>{let le=$[A];if(le===void 0)throw new I("a name that is not in the tabl\
e");return{name:le,key:A,removed:H,raw:X,value:G}})}function se(w){if(!D)throw new I("the end of no snapshot");let{seq:A,
size:H,got:X,parts:G}=D;D=null;let le=new P(H),vt=0;for(let it of G)le.set(it,vt),vt+=it.length;if(X!==H||It(le)!==w)throw new I(
"a damaged snapshot");let No=Hn(le).map(it=>({...it,fields:q(it.fields)}));K(H,()=>{ae=!1,N.snapshot(A,No),p?Ne():mt()}),
!(d||L)&&(d=!0,e.clearTimeout(_))}function K(w,A){t.full&&!L&&(t.dropState(),L=!0),L||t.post(A,"state",w)}function ce(w,A){
if(h)return;let{code:H,bye:X,reject:G,fault:le}=w;if(!d)return A&&G==="bad_token"?(a.forget(),ve(!1)):ie(ao(w),w.text);if(G)
return G==="bad_token"||G==="host_stopping"?ie(rn(G,"")):me();if(!(le?w.stage!=="live":X?X==="timeout"||X==="slow_consum\
er":kr.includes(H)))return ie(rn(X||le||H,w.text));w.stage==="live"?we():me()}function we(){if(B.stop(),oe.pause(),!d)return ie(
"unreachable");x=null,k=e.now(),V.linkLost(),t.post(()=>re("onClientConnectionLost")),g=0,me()}function Y(){return k+F(1e3,
ne(c.resumeMillis,6e5))-e.now()}function me(){x=null,e.clearTimeout(_),e.clearTimeout(S);let w=Y();if(w<=0)return ie(E?"\
host_not_responding":"connection_lost");let A=Ao[ne(g++,Ao.length-1)];S=e.setTimeout(()=>ve(!0),ne(A,w))}let Z=e.onWake(
()=>{h||(x&&x.live?B.wake():d&&!x&&(g=0,ve(!0)))});function ie(w,A=""){h||(h=!0,Z(),B.stop(),oe.stop(),e.clearTimeout(_),
e.clearTimeout(S),x?.close(4e3,"left"),x=null,d&&a.forget(),a.leave(),t.post(()=>{y=!0,p=!1,V.failAll(w);let H=Le(A);o(!H||
w.endsWith(H)?w:`${w}: ${H}`),n(d?"onSessionStopped":"onClientJoinFailed",w)},"always"))}return _=e.setTimeout(()=>ie("t\
imeout"),U?F(Ar,r.timeoutMs):r.timeoutMs),ve(a.token!==null),{mode:"client",isAuthority:!1,hostPort:0,peers:[],get isSessionActive(){
return p&&!y},get localConnectionId(){return p&&!y?i:0},get localRole(){return p&&!y?l:"none"},get sessionId(){return p&&
!y?s:""},get activeScene(){return ue.active},get context(){return p&&!y?wt:null},serverTime:()=>p&&B.clock.synced?B.clock.
now(e.now()):e.wall(),stop(){t.discard(),ie(d?"local_stop":"cancelled"),p=!1,y=!0},update(){if(!y){V.expire();for(let w of N.
takeChanged())w===fe?re("onClientGameStateReplicated",N.gameState):w===je(i)?re("onClientPlayerStateReplicated",N.playerState(
i)):w%4===J&&!Ie.has(Q(w))&&re("onClientObjectReplicated",Q(w));!L||!x||(L=!1,ae=!1,$e())}},notifyClientSceneLoaded(w,A,H){
y||ue.loaded(w,A,`${H}`)},sendRpcToHost(w,A,H){let X={name:Qe(w),object:A,args:de(H)};if(h||!p)return Ht("not_connected");
if(X.args.length>c.args)return ln("too_large");if(V.inFlight>=c.callsInFlight)return ln("queue_full");let G={frame:X.args,
isCall:!0,sent:()=>{le.sent=!0}},le=V.open([1],!1,()=>oe.cancel(G));return G.frame=Ze(T.rpc,{call:le.id,...X}),oe.send(G),
le.operation.op}};function Ht(w){let A=ke({log:e.log,later:H=>t.post(H,"always")});return t.post(()=>A.fail(w),"always"),
A.op}function ln(w){let A=V.open([1],!1,()=>!1);return t.post(()=>V.settle(A.id,1,w),"always"),A.operation.op}}function Eo(e,t){let n=new z;function o(r,u){if(typeof r!="function")throw new M(`${e}: a listener is a function`);return n.
has(r)||n.set(r,u),()=>{n.delete(r)}}return{event:O.freeze({add:r=>o(r,!1),once:r=>o(r,!0),remove:r=>n.delete(r),clear:()=>n.
clear(),get count(){return n.size}}),emit(...r){for(let[u,f]of[...n])if(n.has(u)){f&&n.delete(u);try{u(...r)}catch(a){t.
error(`${e}: a listener threw:`,a)}}}}}var Pt=1;function Oo({sessionId:e,isActive:t,isPeer:n,say:o}){let r=new z,u=new z,f=new z,a=new he,i=0,s={sessionId:e,localConnectionId:Pt,
get writable(){return t()},changed:(g,_,U)=>{r.get(g.target)===g&&o("set",g.target,_,U)}},l=nt(s,fe,"GameState",0,!1);r.
set(fe,l);function c(g){let _=je(g),U=r.get(_)||nt(s,_,"PlayerState",0,!1);return r.set(_,U),f.set(g,U.view),U}function d(g,_,U,S,$){
let D=nt(s,g,_,U,S),L=Q(g);return r.set(g,D),u.set(L,D.view),$&&a.add(L),L>i&&(i=L),D}function p(g){let _=Q(g);return a.
delete(_),u.delete(_),r.delete(g)}function h(g){p(g)&&o("despawn",Q(g))}function y(g,_){for(let[U,S]of _)g.fields.has(U)||
g.fields.set(U,{key:0,raw:S,value:We(S)})}function x(){if(!t())throw new ee("the session is over")}function k(g){if(g===
void 0||g===0||g===Pt||n(g))return g||0;throw new M(`no peer ${g} in the session`)}return{game:l,objects:u,players:f,change:{
spawn(g,_,U){x();let S=typeof g=="string"?W(g).length:0;if(S===0||S>128)throw new M("spawn: the type of an object is a t\
ext of 1 to 128 bytes");let{owner:$,persistent:D=!1,despawnWithOwner:L=!1,private:ae=!1}=U||{},B=k($),oe=an(_||{}),V=i+1,
Re=d(ht(V),g,B,!!D,!!L);return y(Re,oe),o("spawn",V,g,B,Re.persistent,a.has(V),!!ae,oe),Re.view},despawn(g){x(),h(ht(g))},
setOwner(g,_){x();let U=r.get(ht(g));if(!U)throw new M(`no object ${g} in the session`);U.owner=k(_),o("owner",g,U.owner)}},
restore([g,_,U,S,$,D]){g%4!==J?y(g===fe?l:c(Q(g)),_):r.has(g)||y(d(g,U,S,$,D),_)},addPlayer(g,_){y(c(g),_)},removePlayer(g){
f.delete(g),r.delete(je(g))},orphan(g){for(let _ of[...r.values()])_.target%4!==J||_.owner!==g||(a.has(Q(_.target))?h(_.
target):(_.owner=Pt,o("owner",Q(_.target),Pt)))},clear(){for(let g of[...u.keys()])h(ht(g))},leaveScene(g){x();for(let _ of[
...r.values()])_.target%4===J&&!(g&&_.persistent)&&p(_.target)}}}function an(e){let t=typeof e.names=="function"&&typeof e.
get=="function",n=t?e.names():O.keys(e),o=[];for(let r of n){if(W(r).length>128||r==="")throw new M("state: a name has 1\
 to 128 bytes");o.push([r,Je(t?e.get(r):e[r])])}return o}function Ro(e,{callback:t,ids:n,say:o}){let r=new z,u=[];function f(i){let s=r.get(i);r.delete(i),s&&s.abort()}function a(i,s){
let l=r.get(i);if(!l)return;let c=h=>{let y=h!==null&&typeof h=="object"?h:{approved:h},x=y.playerState?an(y.playerState):
[],k=y.role==="spectator"||y.role==="player"?y.role:"",E=Ee(`${y.reason||""}`,512);r.delete(i)&&o("decide",i,y.approved===
!0,E,k,x)},d=h=>{e.log.error("connectionApprovalCallback threw:",h),r.delete(i)&&o("decide",i,null,"","",[])},p=t();if(typeof p!=
"function")return c(!0);try{let h=p(O.freeze({projectId:n.projectId,buildHash:s.build,sessionId:n.sessionId,playerName:s.
name,asSpectator:s.spectator,userData:s.userData,provisionalConnectionId:i,remoteAddress:s.address,clientKind:s.kind,buildMatches:s.
buildMatches,signal:l.signal}));h&&typeof h.then=="function"?h.then(c).then(void 0,d):c(h)}catch(h){d(h)}}return{ask(i,s){
r.set(i,new fn),u.push(()=>a(i,s))},forget:f,decide(){let i=u;u=[];for(let s of i)s()},stop(){u=[];for(let i of[...r.keys()])
f(i)}}}var Rr=O.freeze({isValid:!1,connectionId:0,state:"gone",role:"player",playerName:"",clientKind:"browser",joinedAtEpochMs:0,
rttMs:0,jitterMs:0,transitionId:0,remoteAddress:"",userData:new P(0),stats:O.freeze({bytesIn:0,bytesOut:0,queuedBytes:0,
droppedRpcs:0})}),Io=()=>Rr;function ot(e){return O.freeze({isValid:!0,connectionId:e.id,state:e.state,role:e.role,playerName:Ct(
e.name),clientKind:e.kind,joinedAtEpochMs:e.joinedAt,rttMs:e.rtt,jitterMs:e.jitter,transitionId:e.transition,remoteAddress:e.
address,userData:e.userData,stats:O.freeze({bytesIn:e.bytesIn,bytesOut:e.bytesOut,queuedBytes:e.queued,droppedRpcs:e.dropped})})}var Oe=1,$o={size:32<<20,nesting:20,elements:1<<17},Ir=500,$r=2e3;function Co(e,{mail:t,emit:n,finished:o,approval:r},u,f,a){
let{sessionId:i}=u,s=!0,l=!1,c=!1,d=[],p=e.now(),h=new z,y=null,x=Ro(e,{callback:r,ids:u,say:B}),k={tid:0,uuid:"",name:"",
instance:null},E=null,g=null,_=Et({log:e.log,now:e.now,later:m=>t.post(m,"always")}),U=jt(e,{ping:(m,b)=>B("ping",m,b),silent(){}});
U.clock.start(f.hostMicros/1e3,e.now());let S=e.onWake(()=>{U.wake(),x.decide()}),$=Oo({sessionId:i,isActive:()=>s,isPeer:m=>h.
has(m),say:B}),D=Mt({ids:()=>u,gameState:()=>$.game.view,playerState:()=>$.players.get(Oe),playerStates:$.players,objects:$.
objects,onRpc:_.handle,change:$.change}),L=[],ae=!1;a.onopen=()=>{ae=!0,U.start({pingMillis:1e4,timeoutMillis:6e5},f.hostMicros),
V()},a.onclose=()=>Be(l?"local_stop":"connection_lost"),a.onmessage=m=>{let b;try{b=We(new P(m),$o)}catch(C){return e.log.
error("the launcher sent something else than events:",C),Be("protocol_error")}for(let[C,...j]of b)Re(C,j);e.now()-p>Ir&&
x.decide()};function B(...m){oe(m)}function oe(m){!c&&L.push(m)===1&&xe.resolve().then(V)}function V(){if(!ae||c||L.length===
0)return;let m=L;L=[],a.send(Je(m,$o))}function Re(m,b){let[C,...j]=b;if(!(l&&m!=="stopped"))switch(m){case"pong":return U.
pong({seq:b[0],t0:b[1],t1:b[2],t2:b[3]});case"approve":return x.ask(C,j[0]);case"forget":return x.forget(C);case"stopped":
return Be(l?"local_stop":`${C}`);case"call":{let[q,se,K,ce,we]=j,Y=(me,Z=new P(0))=>{we&&B("reply",C,me,Z)};return t.full?
Y("queue_full"):t.post(()=>Ne(q,se,K,ce,Y),"call",ce.length)}default:{let q=Ie[m];q&&t.post(()=>q(...b))}}}let Ie={state:wt,
addresses:m=>{d=m},peers:m=>{for(let b of m)h.has(b.id)&&h.set(b.id,ot(b))},connected(m,b){let C=h.has(m.id);h.set(m.id,
ot(m)),$.addPlayer(m.id,b),C||N("onHostPeerConnected",h.get(m.id)),B("ready",m.id)},disconnected(m,b){h.has(m.id)&&(y=ot(
{...m,state:"gone"}),h.delete(m.id),$.orphan(m.id),N("onHostPeerDisconnected",m.id,b),y=null,$.removePlayer(m.id))},dropped:m=>ue(
"onHostPeerDropped",m),resumed:m=>ue("onHostPeerResumed",m),load:re,sceneLoaded:m=>ue("onHostPeerSceneLoadComplete",m),activated(m,b){
mt(b),ue("onHostPeerActivatedInScene",m)},complete(m){mt(m),N("onHostSceneTransitionComplete",m)},aborted:(m,b)=>N("onHo\
stTransitionAborted",m,b),result:(m,b,C,j)=>_.settle(m,b,pt.includes(C)?C:"unknown",j),failed:(m,b)=>_.fail(m,`${b}`)};function N(m,...b){
l||n(m,...b)}function ue(m,b){h.has(b.id)&&(h.set(b.id,ot(b)),N(m,b.id))}function wt(m){for(let b of m.entities)$.restore(
b);if(m.scene){let[b,C,j]=m.scene;k={tid:b,uuid:C,name:j,instance:null},E=Pe(e,k,null)}for(let b of m.peers)h.set(b.id,ot(
b));N("onSessionStarted");for(let{id:b}of m.peers)h.has(b)&&N("onHostPeerConnected",h.get(b))}function re(m,b,C,j,q){q&&
($.clear(),E=null),k={tid:m,uuid:b,name:C,instance:null};let se=k,K=g&&g.uuid===b?g:{uuid:b,name:C},{sceneLoader:ce}=D;(async()=>{
let Y=typeof K.load=="function"&&!K.loaded&&await K.load()||K;return typeof ce=="function"?ce(Y,j):null})().then(Y=>{k===
se&&(se.instance=Pe(e,se,Y),B("loaded",m,!0,""))},Y=>{e.log.error(`the scene ${C} could not be loaded:`,Y),B("loaded",m,
!1,Ee(Y instanceof ee?Y.message:`${Y}`,512))})}function mt(m){k.tid===m&&(!E||E.transitionId!==m)&&(E=k.instance||Pe(e,k,
null))}function Ne(m,b,C,j,q){let se=C===0?null:$.objects.get(C);if(se===void 0)return q("no_object");if(se&&m!==Oe&&se.
owner!==m&&_.handlers.has(b)&&!_.handlers.get(b)?.anyone)return q("not_owner");_.run(b,j,m,C,q)}function $e(m,b,C,j,q){let se=Qe(
m),K=de(C).slice();if(!s)return He(Z=>Z.fail("not_connected"));if(j.length===0)return He(Z=>Z.succeed([]));let ce=["call",
0,se,b,K,[]],we=_.open(j,q,()=>j.includes(Oe)||!L.includes(ce)?!1:(L=L.filter(Z=>Z!==ce),!0)),Y=(Z,ie)=>t.post(()=>_.settle(
we.id,Z,ie));ce[1]=we.id;let me=ce[5];for(let Z of j)K.length>f.maxArgs?Y(Z,"too_large"):Z===Oe?t.post(()=>Ne(Oe,se,b,K,
(ie,Ht)=>t.post(()=>_.settle(we.id,Oe,ie,Ht)))):h.has(Z)?b!==0&&!$.objects.has(b)?Y(Z,"no_object"):me.push(Z):Y(Z,"peer_\
gone");return me.length>0&&oe(ce),we.operation.op}function He(m){let b=ke({log:e.log,later:C=>t.post(C,"always")});return t.
post(()=>m(b),"always"),b.op}function ve(){l||c||(B("stop"),V(),l=!0,s=!1,t.discard(),e.setTimeout(()=>Be("local_stop"),
$r))}function Be(m){c||(c=!0,s=!1,S(),U.stop(),a.close(1e3,""),x.stop(),t.post(()=>{l=!1,_.failAll(m);for(let[b,C]of[...h].
sort(([j],[q])=>j-q))y=O.freeze({...C,state:"gone"}),h.delete(b),n("onHostPeerDisconnected",b,"host_stopped");y=null,o(m),
n("onSessionStopped",m)},"always"))}return{get mode(){return f.dedicated?"dedicated":"host"},isAuthority:!0,get hostPort(){
return s?f.port:0},get joinCode(){return s?f.joinCode:""},get hostAddresses(){return s?d:[]},get isSessionActive(){return s},
get localConnectionId(){return s?Oe:0},localRole:"authority",get sessionId(){return s?i:""},get peers(){return[...h.values()].
sort((m,b)=>m.connectionId-b.connectionId)},get activeScene(){return E},get context(){return s?D:null},serverTime:()=>U.
clock.now(e.now()),peer:m=>h.get(m)||(y&&y.connectionId===m?y:void 0),stop:ve,beforeUpdate(){p=e.now(),x.decide()},update(){},
disconnectPeer(m,b){if(m===Oe)throw new M("disconnectPeer: the host leaves by stop()");s&&h.has(m)?B("kick",m,Ee(`${b===
void 0?"":b}`,512)):e.log.debug(`disconnectPeer: no peer ${m}`)},hostLoadScene(m,b){let{uuid:C,name:j}=so(m);$.leaveScene(
b),b||(E=null),g=m,B("scene",C,Ee(j,128),b)},sendRpcToConnection:(m,b,C,j)=>$e(m,b,C,[j],!1),sendRpcMulticast:(m,b,C,j)=>$e(
m,b,C,[...new he(j)],!0),sendRpcToOwner(m,b,C){let j=$.objects.get(b);return!j||j.owner===0?(Qe(m),He(q=>q.fail(j?"no_ow\
ner":"no_object"))):$e(m,b,C,[j.owner],!1)}}}function Uo(){let e=[],t=0,n=0,o=0;function r(u){e=e.slice(t).filter(f=>u(f.kind)),t=0,n=0;for(let f of e)n+=f.bytes}return{
get full(){return e.length-t>=4096||n>8388608},get flooded(){return e.length-t>=2*4096},post(u,f="keep",a=0){e.push({kind:f,
bytes:a,order:++o,run:u}),n+=a},dropState:()=>r(u=>u!=="state"),discard:()=>r(u=>u==="always"),drain(){let u=o;for(;t<e.
length&&e[t].order<=u;){let f=e[t++];n-=f.bytes,f.run()}t===e.length?e=[]:e=e.slice(t),t=0}}}var Cr=["onHostPeerConnected","onHostPeerDisconnected","onSessionStarted","onSessionStopped","onClientJoinFailed","onCli\
entSceneLoadRequested","onClientSceneActivate","onClientGameStateReplicated","onClientPlayerStateReplicated","onClientOb\
jectReplicated","onHostSceneTransitionComplete","onHostPeerSceneLoadComplete","onHostPeerActivatedInScene","onHostPeerDr\
opped","onHostPeerResumed","onHostTransitionAborted","onClientConnectionLost","onClientConnectionResumed","onClientObjec\
tRemoved"],cn={mode:"none",isAuthority:!1,hostPort:0,hostAddresses:[],joinCode:"",isSessionActive:!1,localConnectionId:0,
localRole:"none",sessionId:"",peers:[],activeScene:null,context:null};function jo(e,t){let n=new pn,o=f=>{let a=n.get(f);
if(!a)throw new M("not a NetSessionManager");return a};class r{constructor(){let a=Uo(),i={},s={role:null,lastError:"",approval:null,
mail:a,updating:!1,hooks:{mail:a,emit:(l,...c)=>i[l](...c),finished(l){s.lastError=l,s.role=null},approval:()=>s.approval}};
n.set(this,s);for(let l of Cr){let{event:c,emit:d}=Eo(l,e.log);i[l]=d,Se(this,l,{value:c,enumerable:!0})}}get peerCount(){
return(o(this).role||cn).peers.length}get serverTimeEpochMs(){let{role:a}=o(this);return a?a.serverTime():e.wall()}get lastError(){
return o(this).lastError}get connectionApprovalCallback(){return o(this).approval}set connectionApprovalCallback(a){if(a!=
null&&typeof a!="function")throw new M("connectionApprovalCallback is a function or null");o(this).approval=a||null}startHost(a,i,s,l,c={}){
let d=o(this),p={projectId:st("projectId",a),sessionId:st("sessionId",i),buildHash:st("buildHash",s),port:l==null?null:Ur(
l),...Mr(c)};if(d.role)return rt(d,"a session is active already");if(!e.host)return rt(d,"only a game that runs in Conch\
 can host a session");let h=e.host.start(p);return h.ok?(d.lastError="",d.role=Co(e,d.hooks,p,h,e.host.link(h.link)),!0):
rt(d,Le(`${h.error}`))}joinSession(a,i){let s=o(this),l=jr(a);if(s.role)return rt(s,"a session is active already");let c=qn(
i);return c?t.local&&!Xn(c,t.allowedHosts)?rt(s,`${c.text} is not on the local network; add it to Network > Allowed host\
s (network.allowedHosts in conch.json)`):(s.lastError="",s.role=ko(e,s.hooks,l,c),!0):rt(s,`'${Le(`${i}`).slice(0,100)}'\
 is not the address of a host; write host:${Zt}`)}stop(){let{role:a}=o(this);a&&a.stop()}update(a){let i=o(this);if(!i.updating){
i.updating=!0;try{i.role?.beforeUpdate&&i.role.beforeUpdate(),i.mail.drain(),i.role&&i.role.update()}finally{i.updating=
!1}}}getPeerForConnection(a){let{role:i}=o(this);return i&&i.peer&&i.peer(a)||Io()}disconnectPeer(a,i){Mo(o(this),"disco\
nnectPeer").disconnectPeer(a,i)}hostLoadScene(a,i=!1){Mo(o(this),"hostLoadScene").hostLoadScene(a,!!i)}notifyClientSceneLoaded(a,i=!0,s=""){
let{role:l}=o(this);if(!l||!l.notifyClientSceneLoaded)throw new ee("notifyClientSceneLoaded: only a client of a session \
calls it");l.notifyClientSceneLoaded(a,!!i,s)}sendRpcToHost(a,i,s){return u(o(this),"sendRpcToHost","not_client",[a,Lt(i),
s])}sendRpcToConnection(a,i,s,l){return u(o(this),"sendRpcToConnection","not_host",[a,Lt(i),s,Nt(l,"connectionId")])}sendRpcToOwner(a,i,s){
return u(o(this),"sendRpcToOwner","not_host",[a,Lt(i),s])}sendRpcMulticast(a,i,s,l){if(!Ce.isArray(l))throw new M("sendR\
pcMulticast: connectionIds is a list");let c=l.map(d=>Nt(d,"a connection id"));return u(o(this),"sendRpcMulticast","not_\
host",[a,Lt(i),s,c])}}for(let f of O.keys(cn))Se(r.prototype,f,{get(){let a=o(this).role||cn;return f==="joinCode"?a.joinCode||
"":f==="peers"||f==="hostAddresses"?[...a[f]||[]]:a[f]},configurable:!0});return Se(r,"name",{value:"NetSessionManager",
configurable:!0}),r;function u(f,a,i,s){if(de(s[2]),f.role&&f.role[a])return f.role[a](...s);let l=ke({log:e.log,later:c=>f.
mail.post(c,"always")});return f.mail.post(()=>l.fail(f.role?i:"not_connected"),"always"),l.op}}function rt(e,t){return e.
lastError=t,!1}function Mo(e,t){if(!e.role||!e.role.isAuthority)throw new ee(`${t}: only the session host calls it`);return e.
role}function st(e,t){if(typeof t=="string"&&/^[A-Za-z0-9._:+-]{1,128}$/.test(t))return t;throw new M(`${e} has 1 to 128\
 of the characters A-Z a-z 0-9 . _ : + -`)}function Nt(e,t){if(te.isSafeInteger(e)&&e>=0)return e;throw new M(`${t} is a\
 whole number, not ${e}`)}function Lt(e){return Nt(e,"the id of an object")}function Ur(e){if(te.isInteger(e)&&e>=0&&e<=
65535)return e;throw new M(`startHost: the port is a whole number from 0 to 65535, not ${e}`)}function Mr({password:e,open:t,
maxPeers:n,anyBuild:o,origins:r}){let u={};if(e!==void 0&&(u.password=`${e}`),t!==void 0&&(u.open=!!t),n!==void 0&&(u.maxPeers=
Nt(n,"maxPeers")),o!==void 0&&(u.anyBuild=!!o),r!==void 0){if(!Ce.isArray(r))throw new M("startHost: origins is a list");
u.origins=r.map(f=>`${f}`)}return u}function jr(e){if(e===null||typeof e!="object")throw new M("joinSession: the request\
 is an object with projectId and buildHash");let{projectId:t,buildHash:n,sessionId:o,playerName:r="",password:u,joinCode:f="",
asSpectator:a,userData:i,timeoutMs:s=1e4}=e,l=de(i).slice();if(l.length>4096)throw new M(`joinSession: userData has ${l.
length} bytes, at most 4096 are sent`);if(u!==void 0&&W(`${u}`).length>1024)throw new M("joinSession: the password is lo\
nger than 1024 bytes");return{projectId:st("projectId",t),buildHash:st("buildHash",n),sessionId:o===void 0||o===""?"":st(
"sessionId",o),playerName:Ct(r),password:u===void 0?void 0:`${u}`,joinCode:Ut(`${f}`),asSpectator:!!a,userData:l,timeoutMs:te.
isFinite(s)?ne(F(s,1e3),6e4):1e4}}var Pr=O.freeze({None:"none",Host:"host",Dedicated:"dedicated",Client:"client"}),Lr=O.freeze({None:"none",Authority:"aut\
hority",Player:"player",Spectator:"spectator"});function Po(e,t){let{origin:n,allowedHosts:o}=t;return{NetSessionManager:jo(
Bn(e,t),{local:n!=="",allowedHosts:o}),NetSessionMode:Pr,NetRole:Lr,DataStream:be}}var _e=globalThis,Lo=Symbol.for("conch.session");function Nr(){let e=_e[Lo];return delete _e[Lo],e||{driver:_n(_e.WebSocket),
log:Sn({debug:!1},bt),origin:"",allowedHosts:[]}}if(_e.document&&!(_e.conch&&_e.conch.NetSessionManager)){let e=Po(_e,Nr()),
{NetSessionManager:t}=e,n=O.freeze({version:"1.0",..._e.conch,...e});for(let[o,r]of[["conch",n],["NetSessionManager",t]])
Se(_e,o,{value:r,writable:!0,configurable:!0})}})();
