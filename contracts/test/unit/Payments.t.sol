// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {MerchantSplit} from "../../src/MerchantSplit.sol";
import {SplitBooks} from "../../src/SplitBooks.sol";
import {SplitPayments} from "../../src/SplitPayments.sol";
import {SmartAccount} from "../mocks/Recipients.sol";
import {FalseToken, FeeToken, HostileToken} from "../mocks/Tokens.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

contract PaymentsTest is Bench {
    uint256 private constant KEY = 0xa11ce;
    bytes32 private constant SALT = "salt";
    address private payer = vm.addr(KEY);
    MerchantSplit private split;

    function setUp() external {
        split = splitOf(person("a"), person("b"));
        usdc.mint(payer, 1_000);
        vm.warp(1_000_000);
    }

    function test_ethIsPaidUnderItsReference() external {
        vm.deal(payer, 5);
        expectPayment(ETH, payer, 5);
        vm.prank(payer);
        split.pay{value: 5}(REF);
        vm.assertEq(address(split).balance, 5, "arrived");
    }

    function test_tokensArePaidUnderTheirReference() external {
        vm.prank(payer);
        usdc.approve(address(split), 7);
        expectPayment(address(usdc), payer, 7);
        vm.prank(payer);
        split.payToken(address(usdc), 7, REF);
        vm.assertEq(usdc.balanceOf(address(split)), 7, "arrived");
    }

    function test_aTokenWithoutAnAnswerIsPaid() external {
        usdt.mint(payer, 7);
        vm.prank(payer);
        usdt.approve(address(split), 7);
        expectPayment(address(usdt), payer, 7);
        vm.prank(payer);
        split.payToken(address(usdt), 7, REF);
    }

    function test_aFeeTokenIsCountedByWhatArrived() external {
        FeeToken token = new FeeToken();
        token.mint(payer, 1_000);
        expectPayment(address(token), payer, 990);
        vm.prank(payer);
        split.payToken(address(token), 1_000, REF);
    }

    function test_whatASplitHeldBeforeIsNoPayment() external {
        give(address(split), 500);
        vm.deal(payer, 5);
        expectPayment(ETH, payer, 5);
        vm.prank(payer);
        split.pay{value: 5}(REF);
        FeeToken token = new FeeToken();
        token.mint(address(split), 5_000);
        token.mint(payer, 2_000);
        expectPayment(address(token), payer, 990);
        vm.prank(payer);
        split.payToken(address(token), 1_000, REF);
        expectPayment(address(token), payer, 990);
        split.payWithAuthorization(address(token), payer, 1_000, 0, 1, REF, SALT, "");
    }

    function test_oneBaseUnitIsAPayment() external {
        vm.deal(payer, 1);
        expectPayment(ETH, payer, 1);
        vm.prank(payer);
        split.pay{value: 1}(REF);
        vm.prank(payer);
        usdc.approve(address(split), 1);
        expectPayment(address(usdc), payer, 1);
        vm.prank(payer);
        split.payToken(address(usdc), 1, REF);
    }

    function test_nothingIsNoPayment() external {
        vm.expectRevert(SplitPayments.NothingReceived.selector);
        split.pay(REF);
        vm.expectRevert(SplitPayments.NothingReceived.selector);
        split.payToken(address(usdc), 0, REF);
        FalseToken falseToken = new FalseToken();
        vm.expectRevert(SplitPayments.TransferRefused.selector);
        split.payToken(address(falseToken), 5, REF);
        vm.expectRevert(abi.encodeWithSelector(SplitBooks.NotAToken.selector, ETH));
        split.payToken(ETH, 5, REF);
        vm.expectRevert(abi.encodeWithSelector(SplitBooks.NotAToken.selector, person("no token")));
        split.payToken(person("no token"), 5, REF);
    }

    function test_aBalanceThatIsRevertedOrShorterThanAWordIsNone() external {
        HostileToken token = new HostileToken();
        HostileToken.Mode[2] memory modes = [HostileToken.Mode.ShortBalance, HostileToken.Mode.BombOnBalance];
        for (uint256 i; i < modes.length; ++i) {
            token.setMode(modes[i]);
            vm.expectRevert(abi.encodeWithSelector(SplitBooks.NotAToken.selector, token));
            split.payToken(address(token), 5, REF);
            vm.expectRevert(abi.encodeWithSelector(SplitBooks.NotAToken.selector, token));
            split.distribute(address(token));
        }
    }

    /// @dev Precompiles accept any call, but none of them counts as a token.
    function test_noPrecompileIsAToken() external {
        for (uint160 i = 1; i <= 10; ++i) {
            (bool done,) = address(split).call{gas: 1_000_000}(abi.encodeCall(split.payToken, (address(i), 5, REF)));
            vm.assertTrue(!done, "precompile");
        }
    }

    function test_aTokensOwnReasonIsHandedOn() external {
        vm.prank(payer);
        vm.expectRevert(bytes4(keccak256("InsufficientAllowance()")));
        split.payToken(address(usdc), 5, REF);
    }

    function test_aPermitAndThePaymentAreOneCall() external {
        (uint8 v, bytes32 r, bytes32 s) = signPermit(9);
        expectPayment(address(usdc), payer, 9);
        vm.prank(payer);
        split.payWithPermit(address(usdc), 9, REF, block.timestamp, v, r, s);
        vm.assertEq(usdc.allowance(payer, address(split)), 0, "used up");
    }

    function test_aPermitUsedFirstByAnotherStopsNothing() external {
        (uint8 v, bytes32 r, bytes32 s) = signPermit(9);
        vm.prank(person("front runner"));
        usdc.permit(payer, address(split), 9, block.timestamp, v, r, s);
        expectPayment(address(usdc), payer, 9);
        vm.prank(payer);
        split.payWithPermit(address(usdc), 9, REF, block.timestamp, v, r, s);
    }

    function test_aPermitGivesNothingToWhoeverElseSubmitsIt() external {
        (uint8 v, bytes32 r, bytes32 s) = signPermit(9);
        vm.prank(person("thief"));
        vm.expectRevert();
        split.payWithPermit(address(usdc), 9, REF, block.timestamp, v, r, s);
        vm.prank(payer);
        vm.expectRevert();
        split.payWithPermit(address(usdc), 10, REF, block.timestamp, v, r, s);
    }

    function test_aPermitOnATokenWithoutOneFallsBackToTheAllowance() external {
        usdt.mint(payer, 9);
        vm.prank(payer);
        usdt.approve(address(split), 9);
        expectPayment(address(usdt), payer, 9);
        vm.prank(payer);
        split.payWithPermit(address(usdt), 9, REF, block.timestamp, 27, 0, 0);
    }

    function test_anAuthorizationPaysWithoutThePayersGas() external {
        bytes memory signature = signAuthorization(payer, 9, REF, SALT);
        expectPayment(address(usdc), payer, 9);
        vm.prank(person("relayer"));
        payWith(payer, 9, REF, SALT, signature);
        vm.assertEq(usdc.balanceOf(address(split)), 9, "arrived");
        vm.expectRevert("FiatTokenV2: authorization is used or canceled");
        payWith(payer, 9, REF, SALT, signature);
    }

    function test_anAuthorizationHoldsBetweenItsTimes() external {
        uint256 from = block.timestamp;
        bytes memory signature = signAuthorization(payer, 9, REF, SALT, from);
        vm.expectRevert("FiatTokenV2: authorization is not yet valid");
        split.payWithAuthorization(address(usdc), payer, 9, from, from + 1, REF, SALT, signature);
        vm.warp(from + 1);
        signature = signAuthorization(payer, 9, REF, SALT, from);
        expectPayment(address(usdc), payer, 9);
        split.payWithAuthorization(address(usdc), payer, 9, from, block.timestamp + 1, REF, SALT, signature);
    }

    function test_aSmartAccountsAuthorizationPays() external {
        address account = address(new SmartAccount(payer));
        usdc.mint(account, 9);
        bytes memory signature = signAuthorization(account, 9, REF, SALT);
        expectPayment(address(usdc), account, 9);
        payWith(account, 9, REF, SALT, signature);
    }

    function test_aRelayerCanChangeNothing() external {
        bytes memory signature = signAuthorization(payer, 9, REF, SALT);
        bytes memory invalid = "FiatTokenV2: invalid signature";
        vm.expectRevert(invalid);
        payWith(payer, 9, "another reference", SALT, signature);
        vm.expectRevert(invalid);
        payWith(payer, 9, REF, "another salt", signature);
        vm.expectRevert(invalid);
        payWith(payer, 9, SALT, REF, signature);
        vm.expectRevert(invalid);
        payWith(payer, 8, REF, SALT, signature);
        vm.expectRevert(invalid);
        payWith(person("another"), 9, REF, SALT, signature);
        MerchantSplit other = splitOf(person("thief"), person("accomplice"));
        vm.expectRevert(invalid);
        other.payWithAuthorization(address(usdc), payer, 9, 0, block.timestamp + 1, REF, SALT, signature);
    }

    function test_onlyTheSplitCanUseTheSignature() external {
        bytes memory signature = signAuthorization(payer, 9, REF, SALT);
        bytes32 nonce = keccak256(abi.encode(REF, SALT));
        vm.expectRevert("FiatTokenV2: caller must be the payee");
        usdc.receiveWithAuthorization(payer, address(split), 9, 0, block.timestamp + 1, nonce, signature);
        vm.expectRevert("FiatTokenV2: invalid signature");
        usdc.transferWithAuthorization(payer, address(split), 9, 0, block.timestamp + 1, nonce, signature);
    }

    function expectPayment(address token, address from, uint256 amount) private {
        vm.expectEmit(address(split));
        emit SplitPayments.Payment(REF, token, from, amount);
    }

    function payWith(address from, uint256 value, bytes32 ref, bytes32 salt, bytes memory signature) private {
        split.payWithAuthorization(address(usdc), from, value, 0, block.timestamp + 1, ref, salt, signature);
    }

    function signPermit(uint256 value) private view returns (uint8, bytes32, bytes32) {
        bytes32 typehash =
            keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        return sign(
            keccak256(abi.encode(typehash, payer, split, value, usdc.nonces(payer), block.timestamp))
        );
    }

    function signAuthorization(address from, uint256 value, bytes32 ref, bytes32 salt)
        private
        view
        returns (bytes memory)
    {
        return signAuthorization(from, value, ref, salt, 0);
    }

    function signAuthorization(address from, uint256 value, bytes32 ref, bytes32 salt, uint256 validAfter)
        private
        view
        returns (bytes memory)
    {
        bytes32 typehash = keccak256(
            "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
        );
        bytes32 nonce = keccak256(abi.encode(ref, salt));
        (uint8 v, bytes32 r, bytes32 s) =
            sign(keccak256(abi.encode(typehash, from, split, value, validAfter, block.timestamp + 1, nonce)));
        return abi.encodePacked(r, s, v);
    }

    function sign(bytes32 structHash) private view returns (uint8, bytes32, bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("USD Coin"),
                keccak256("2"),
                block.chainid,
                usdc
            )
        );
        return vm.sign(KEY, keccak256(abi.encodePacked(hex"1901", domain, structHash)));
    }
}
