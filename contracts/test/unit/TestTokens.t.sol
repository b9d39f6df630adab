// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TestCbBTC} from "../../src/local/TestCbBTC.sol";
import {TestCbXRP} from "../../src/local/TestCbXRP.sol";
import {TestUSDC} from "../../src/local/TestUSDC.sol";
import {TestUSDT} from "../../src/local/TestUSDT.sol";
import {SmartAccount} from "../mocks/Recipients.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

contract TestTokensTest is Bench {
    uint256 private constant KEY = 0xa11ce;
    address private payer = vm.addr(KEY);
    address private payee = person("payee");

    function setUp() external {
        vm.warp(1_000_000);
    }

    function test_runtimeCodeWorksWhereverItIsPut() external {
        address real = 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913;
        vm.etch(real, address(usdc).code);
        usdc = TestUSDC(real);
        usdc.mint(payer, 10);
        (bytes32 digest, bytes32 nonce) = authorization("TransferWithAuthorization", payer);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, digest);
        usdc.transferWithAuthorization(payer, payee, 5, 0, 2_000_000, nonce, abi.encodePacked(r, s, v));
        vm.assertEq(usdc.balanceOf(payee), 5, "the domain is of this address");
        vm.assertEq(bytes(usdc.name()), "USD Coin", "name");
        vm.assertEq(usdc.decimals(), 6, "decimals");
    }

    function test_usdcTakesBothFormsOfASignature() external {
        usdc.mint(payer, 10);
        (bytes32 digest, bytes32 nonce) = authorization("TransferWithAuthorization", payer);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, digest);
        vm.expectEmit(address(usdc));
        emit TestUSDC.AuthorizationUsed(payer, nonce);
        usdc.transferWithAuthorization(payer, payee, 5, 0, 2_000_000, nonce, v, r, s);
        vm.assertTrue(usdc.authorizationState(payer, nonce), "used");
        vm.expectRevert("FiatTokenV2: authorization is used or canceled");
        usdc.transferWithAuthorization(payer, payee, 5, 0, 2_000_000, nonce, abi.encodePacked(r, s, v));

        (digest, nonce) = authorization("ReceiveWithAuthorization", payer);
        vm.assertTrue(nonce != 0, "another nonce");
        (v, r, s) = vm.sign(KEY, digest);
        vm.expectRevert("FiatTokenV2: caller must be the payee");
        usdc.receiveWithAuthorization(payer, payee, 5, 0, 2_000_000, nonce, v, r, s);
        vm.prank(payee);
        usdc.receiveWithAuthorization(payer, payee, 5, 0, 2_000_000, nonce, v, r, s);
        vm.assertEq(usdc.balanceOf(payee), 10, "both");
    }

    function test_usdcTakesASmartAccountsSignature() external {
        address account = address(new SmartAccount(payer));
        usdc.mint(account, 5);
        (bytes32 digest, bytes32 nonce) = authorization("TransferWithAuthorization", account);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, digest);
        usdc.transferWithAuthorization(account, payee, 5, 0, 2_000_000, nonce, abi.encodePacked(r, s, v));
        vm.assertEq(usdc.balanceOf(payee), 5, "paid");
    }

    function test_usdcKeepsTimes() external {
        (bytes32 digest, bytes32 nonce) = authorization("TransferWithAuthorization", payer);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, digest);
        vm.warp(2_000_000);
        vm.expectRevert("FiatTokenV2: authorization is expired");
        usdc.transferWithAuthorization(payer, payee, 5, 0, 2_000_000, nonce, v, r, s);
        vm.expectRevert("FiatTokenV2: authorization is not yet valid");
        usdc.transferWithAuthorization(payer, payee, 5, 2_000_000, 3_000_000, nonce, v, r, s);
    }

    function test_usdcCancelsANonce() external {
        usdc.mint(payer, 10);
        (bytes32 digest, bytes32 nonce) = authorization("TransferWithAuthorization", payer);
        bytes32 cancelDigest = typed(
            keccak256(abi.encode(keccak256("CancelAuthorization(address authorizer,bytes32 nonce)"), payer, nonce))
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, cancelDigest);
        usdc.cancelAuthorization(payer, nonce, v, r, s);
        (v, r, s) = vm.sign(KEY, digest);
        vm.expectRevert("FiatTokenV2: authorization is used or canceled");
        usdc.transferWithAuthorization(payer, payee, 5, 0, 2_000_000, nonce, v, r, s);
    }

    function test_usdtIsAsAwkwardAsTheRealOne() external {
        usdt.mint(address(this), 10);
        (bool done, bytes memory answer) = address(usdt).call(abi.encodeCall(usdt.transfer, (payee, 1)));
        vm.assertTrue(done && answer.length == 0, "no answer");
        usdt.approve(payee, 5);
        vm.expectRevert(TestUSDT.AllowanceNotZero.selector);
        usdt.approve(payee, 6);
        usdt.approve(payee, 0);
        usdt.approve(payee, 6);
        usdt.setBlocked(payee, true);
        vm.expectRevert(abi.encodeWithSelector(TestUSDT.Blocked.selector, payee));
        usdt.transfer(payee, 1);
        vm.prank(payee);
        vm.expectRevert(abi.encodeWithSelector(TestUSDT.Blocked.selector, payee));
        usdt.transfer(address(this), 1);
        vm.assertEq(usdt.decimals(), 6, "decimals");
    }

    function test_wrappedCoinsHaveTheirDecimals() external {
        TestCbBTC btc = new TestCbBTC();
        TestCbXRP xrp = new TestCbXRP();
        vm.assertEq(btc.decimals(), 8, "cbBTC");
        vm.assertEq(xrp.decimals(), 6, "cbXRP");
        vm.assertEq(bytes(btc.symbol()), "cbBTC", "cbBTC");
        vm.assertEq(bytes(xrp.symbol()), "cbXRP", "cbXRP");
        btc.mint(payee, 1);
        xrp.mint(payee, 2);
        vm.assertEq(btc.balanceOf(payee) + xrp.balanceOf(payee), 3, "minted");
    }

    /// @dev Authorizes a transfer of five units to `payee` before timestamp 2,000,000. Each kind has its own
    /// nonce.
    function authorization(string memory kind, address from) private view returns (bytes32 digest, bytes32 nonce) {
        nonce = keccak256(bytes(kind));
        bytes32 typehash = keccak256(
            abi.encodePacked(
                kind,
                "(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
            )
        );
        digest = typed(keccak256(abi.encode(typehash, from, payee, 5, 0, 2_000_000, nonce)));
    }

    function typed(bytes32 structHash) private view returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", usdc.DOMAIN_SEPARATOR(), structHash));
    }
}
